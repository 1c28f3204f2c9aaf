import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { LevelButton } from '../../editor/quickLevels';
import type { Clock } from '../../util/clock';
import { UserError } from '../../util/errors';
import type { Text } from '../../util/text';
import { factorFailureText, isFinal } from './failures';
import { codeTime, authorizedTime } from './words';

export interface CodeQuestion<T> {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  /** What is wrong with the text so far. */
  readonly problem: (value: string) => Text | undefined;
  /** Milliseconds since 1970 until which the code counts; counted down in the box. */
  readonly endsAt?: number | undefined;
  /** Milliseconds since 1970 until which methods can be added; counted down as well. */
  readonly authorizedUntil?: number | undefined;
  /** Has the code sent again; gives the time until which that one counts. */
  readonly resend?: ((signal: AbortSignal) => Promise<number>) | undefined;
  readonly canGoBack?: boolean;
  /** A button of the step beside those above. */
  readonly extra?: LevelButton;
  readonly signal?: AbortSignal | undefined;
  /** Uses the code; a `UserError` after which another code may help is shown in the box, which stays open. */
  readonly use: (value: string, signal: AbortSignal) => Promise<T>;
}

export type CodeAnswer<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'back' } | { readonly kind: 'cancelled' };

/** Asks for a code until one is accepted, the person stops, or the signal fires. */
export async function askCode<T>(question: CodeQuestion<T>, clock: Clock): Promise<CodeAnswer<T>> {
  const { resend, canGoBack, extra, use, authorizedUntil } = question;
  const input = new QuickInput<CodeAnswer<T>>();
  let { endsAt } = question;
  const problem = (value: string) => {
    const found = question.problem(value);
    return found && localize(found);
  };
  const again = resend && {
    iconPath: new vscode.ThemeIcon('refresh'),
    tooltip: t('Send Again'),
    run: () =>
      void input.work(async (signal) => {
        endsAt = await resend(signal);
        input.type('');
        input.refresh();
      }),
  };
  const answer = await input.open(
    {
      title: question.title,
      placeholder: question.placeholder,
      ignoreFocusOut: true,
      back: canGoBack ? () => input.close({ kind: 'back' }) : undefined,
      buttons: [...(again ? [again] : []), ...(extra ? [extra] : [])],
      prompt: () =>
        [
          question.prompt,
          ...(endsAt === undefined ? [] : [codeTime(endsAt - clock.now())]),
          ...(authorizedUntil === undefined ? [] : [authorizedTime(authorizedUntil - clock.now())]),
        ].join(' '),
      problem,
      hint: (value) => {
        const message = value === '' ? undefined : problem(value);
        return message && { message, severity: vscode.InputBoxValidationSeverity.Info };
      },
      // Whether a code was taken has to be told: what it was for may have been done.
      keepsWorking: true,
      accept: async (value, signal) => {
        input.close({ kind: 'done', value: await use(value, signal) });
      },
      failure: (error) =>
        error instanceof UserError && !isFinal(error, clock.now())
          ? factorFailureText(error, clock.now())
          : undefined,
    },
    question.signal,
  );
  return answer ?? { kind: 'cancelled' };
}
