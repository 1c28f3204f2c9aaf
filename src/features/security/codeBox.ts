import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { LevelButton } from '../../editor/quickLevels';
import type { Clock } from '../../util/clock';
import { UserError } from '../../util/errors';
import type { Text } from '../../util/text';
import { factorFailureText, isFinal } from './failures';
import { codeTime, authorizedTime } from './methodText';

export interface CodeQuestion<T> {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  /** Returns what is wrong with the text typed so far. */
  readonly problem: (value: string) => Text | undefined;
  /** When the code expires (ms since 1970); the box counts down. */
  readonly endsAt?: number | undefined;
  /** Until when methods can be added (ms since 1970); the box counts down. */
  readonly authorizedUntil?: number | undefined;
  /** Requests another code. Resolves to its expiry (ms since 1970). */
  readonly resend?: ((signal: AbortSignal) => Promise<number>) | undefined;
  readonly canGoBack?: boolean;
  /** An extra button of this step. */
  readonly extra?: LevelButton;
  readonly signal?: AbortSignal | undefined;
  /** Submits the code. A `UserError` that another code may solve is shown in the box, which stays open. */
  readonly use: (value: string, signal: AbortSignal) => Promise<T>;
}

export type CodeAnswer<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'back' } | { readonly kind: 'cancelled' };

/** Asks for a code until one is accepted, the user cancels, or the signal fires. */
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
      // Keep waiting for the answer when the box closes: the request behind the code may have taken effect.
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
