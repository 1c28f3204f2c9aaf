import * as vscode from 'vscode';
import { localize } from '../../editor/localize';
import { clockText } from '../../model/secondFactor';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import type { Clock } from '../../util/clock';
import type { Text } from '../../util/text';

export interface CodeQuestion<T> {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  /** What is wrong with the text so far. */
  readonly problem: (value: string) => Text | undefined;
  /** Milliseconds since 1970 until which the code counts; counted down in the box. */
  readonly endsAt?: number;
  /** Has the code sent again; gives the time until which that one counts. */
  readonly resend?: (signal: AbortSignal) => Promise<number>;
  readonly canGoBack?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Uses the code; a `UserError` is shown in the box, which stays open for another try. */
  use(value: string, signal: AbortSignal): Promise<T>;
  /** True for an error after which no other code helps; it closes the box and is thrown. */
  readonly isFinal?: (error: unknown) => boolean;
}

export type CodeAnswer<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'back' } | { readonly kind: 'cancelled' };

/** Asks for a code until one is accepted, the person stops, or the signal fires. */
export function askCode<T>(question: CodeQuestion<T>, clock: Clock): Promise<CodeAnswer<T>> {
  return new CodeBox(question, clock).run();
}

class CodeBox<T> {
  private readonly store = new DisposableStore();
  private readonly input = this.store.add(vscode.window.createInputBox());
  private readonly tick = this.store.add(new MutableDisposable());
  private readonly stop = new AbortController();
  private readonly again: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('refresh'),
    tooltip: vscode.l10n.t('Send Again'),
  };
  private endsAt: number | undefined;
  private settle: ((answer: CodeAnswer<T>) => void) | undefined;
  private fail: ((error: unknown) => void) | undefined;

  constructor(
    private readonly question: CodeQuestion<T>,
    private readonly clock: Clock,
  ) {
    this.endsAt = question.endsAt;
  }

  run(): Promise<CodeAnswer<T>> {
    const { input, question } = this;
    input.title = question.title;
    input.placeholder = question.placeholder;
    input.ignoreFocusOut = true;
    input.buttons = [
      ...(question.canGoBack ? [vscode.QuickInputButtons.Back] : []),
      ...(question.resend ? [this.again] : []),
    ];
    this.listen();
    this.showTime();
    return new Promise((resolve, reject) => {
      this.settle = resolve;
      this.fail = reject;
      if (question.signal?.aborted) {
        this.finish({ kind: 'cancelled' });
        return;
      }
      input.show();
    });
  }

  private listen(): void {
    const { input, question } = this;
    this.store.add(
      input.onDidChangeValue((value) => {
        const problem = value === '' ? undefined : question.problem(value);
        input.validationMessage = problem && {
          message: localize(problem),
          severity: vscode.InputBoxValidationSeverity.Info,
        };
      }),
    );
    this.store.add(
      input.onDidAccept(() => {
        void this.accept();
      }),
    );
    this.store.add(
      input.onDidTriggerButton((button) => {
        if (button === this.again) {
          void this.resend();
        } else {
          this.finish({ kind: 'back' });
        }
      }),
    );
    this.store.add(
      input.onDidHide(() => {
        this.finish({ kind: 'cancelled' });
      }),
    );
    question.signal?.addEventListener(
      'abort',
      () => {
        this.finish({ kind: 'cancelled' });
      },
      { once: true },
    );
  }

  private async accept(): Promise<void> {
    const problem = this.question.problem(this.input.value);
    if (problem) {
      this.input.validationMessage = localize(problem);
      return;
    }
    await this.busy(async () => {
      const value = await this.question.use(this.input.value, this.stop.signal);
      this.finish({ kind: 'done', value });
    });
  }

  private async resend(): Promise<void> {
    const { resend } = this.question;
    if (resend) {
      await this.busy(async () => {
        this.endsAt = await resend(this.stop.signal);
        this.input.value = '';
        this.showTime();
      });
    }
  }

  private async busy(run: () => Promise<void>): Promise<void> {
    const { input } = this;
    if (input.busy) {
      return;
    }
    input.busy = true;
    input.enabled = false;
    try {
      await run();
    } catch (error) {
      if (error instanceof UserError && this.question.isFinal?.(error) !== true) {
        input.validationMessage = localize(error.text);
      } else if (!isCancelled(error)) {
        this.close();
        this.fail?.(error);
      }
    } finally {
      input.busy = false;
      input.enabled = true;
    }
  }

  /** Once a second, so that what is left is never a guess. */
  private showTime(): void {
    const { input, question } = this;
    if (this.endsAt === undefined) {
      input.prompt = question.prompt;
      return;
    }
    const left = this.endsAt - this.clock.now();
    input.prompt =
      left > 0
        ? vscode.l10n.t('{0} It counts for {1}.', question.prompt, clockText(left))
        : vscode.l10n.t('{0} Its time is over: have it sent again.', question.prompt);
    this.tick.value =
      left > 0
        ? this.clock.schedule(() => {
            this.showTime();
          }, 1000)
        : undefined;
  }

  private finish(answer: CodeAnswer<T>): void {
    this.close();
    this.settle?.(answer);
  }

  private close(): void {
    this.stop.abort();
    this.store.dispose();
  }
}
