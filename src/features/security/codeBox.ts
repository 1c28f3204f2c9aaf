import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { isAskedNow, whenAnswered } from '../../editor/unasked';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import type { Clock } from '../../util/clock';
import type { Text } from '../../util/text';
import { factorFailureText, isFinal } from './failures';
import { codeTime, windowTime } from './words';

export interface CodeQuestion<T> {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  /** What is wrong with the text so far. */
  readonly problem: (value: string) => Text | undefined;
  /** Milliseconds since 1970 until which the code counts; counted down in the box. */
  readonly endsAt?: number;
  /** Milliseconds since 1970 until which methods can be added; counted down as well. */
  readonly windowEndsAt?: number | undefined;
  /** Has the code sent again; gives the time until which that one counts. */
  readonly resend?: (signal: AbortSignal) => Promise<number>;
  readonly canGoBack?: boolean;
  /** A button of the step beside those above. */
  readonly extra?: vscode.QuickInputButton & { run(): unknown };
  readonly signal?: AbortSignal | undefined;
  /** Uses the code; a `UserError` after which another code may help is shown in the box, which stays open. */
  use(value: string, signal: AbortSignal): Promise<T>;
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
    tooltip: t('Send Again'),
  };
  private endsAt: number | undefined;
  private isBusy = false;
  /** It is part of the question that comes unasked, and not what that takes the place of. */
  private readonly isUnasked = isAskedNow();
  /** Another question of the editor took its place while it was busy. */
  private isCovered = false;
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
      ...(question.extra ? [question.extra] : []),
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
        } else if (button === question.extra) {
          void question.extra.run();
        } else {
          this.finish({ kind: 'back' });
        }
      }),
    );
    this.store.add(
      input.onDidHide(() => {
        // A call that finds its session ended asks for a second factor, which takes the place of this box.
        if (this.isBusy) {
          this.isCovered = true;
        } else if (isAskedNow() && !this.isUnasked) {
          void this.comeBack();
        } else {
          this.finish({ kind: 'cancelled' });
        }
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

  private async comeBack(): Promise<void> {
    await whenAnswered();
    if (!this.store.isDisposed) {
      this.input.show();
    }
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
        this.input.validationMessage = undefined;
        this.showTime();
      });
    }
  }

  /** The box keeps the focus meanwhile: a disabled one would lose it for who uses the keyboard alone. */
  private async busy(run: () => Promise<void>): Promise<void> {
    const { input } = this;
    if (this.isBusy) {
      return;
    }
    this.isBusy = true;
    input.busy = true;
    try {
      await run();
    } catch (error) {
      this.tell(error);
    } finally {
      this.isBusy = false;
      input.busy = false;
      if (this.isCovered && !this.store.isDisposed) {
        this.isCovered = false;
        input.show();
      }
    }
  }

  private tell(error: unknown): void {
    const now = this.clock.now();
    if (error instanceof UserError && !isFinal(error, now)) {
      this.input.validationMessage = factorFailureText(error, now);
    } else if (isCancelled(error)) {
      this.finish({ kind: 'cancelled' });
    } else {
      this.close();
      this.fail?.(error);
    }
  }

  /** Once a second, so that what is left is never a guess. */
  private showTime(): void {
    const { prompt, windowEndsAt } = this.question;
    const now = this.clock.now();
    const parts = [
      prompt,
      ...(this.endsAt === undefined ? [] : [codeTime(this.endsAt - now)]),
      ...(windowEndsAt === undefined ? [] : [windowTime(windowEndsAt - now)]),
    ];
    this.input.prompt = parts.join(' ');
    const isCounting = Math.max(this.endsAt ?? 0, windowEndsAt ?? 0) > now;
    this.tick.value = isCounting
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
