import { isCancelled, needsCode, UserError, type NextStep } from '../util/errors';
import type { Log } from '../util/log';
import type { Redactor } from '../util/redact';
import { runCommand } from './commands';
import { localize, t } from './localize';
import { suggest, type Action } from './message';
import { offeringInterruption } from './quickInput';
import { labelOf, titleOf } from './titles';
import { editorElapsed } from './windowParts';

/**
 * The editor pops up at most three messages in this time (ms), and a message
 * replaces an equal one: of four commands with the same problem it would show none.
 */
const floodMs = 800;

/** The steps of message buttons that need more than a command; the failed command provides `retry`. */
export type StepActions = Partial<Record<'showLog' | 'openSettings', () => unknown>>;

/** The only place that shows errors to the user: what failed, why, and one next step. */
export class Report {
  /** When open messages were shown. */
  private readonly shownAt = new Map<string, number>();

  constructor(
    private readonly log: Log,
    private readonly redactor: Pick<Redactor, 'redact'>,
    private readonly actions: StepActions,
  ) {}

  /** Shows an error once; a canceled action shows nothing. `retry` adds a button if the error allows it. */
  error(error: unknown, options: { readonly retry?: () => unknown } = {}): void {
    if (isCancelled(error) || (error instanceof UserError && error.isShown)) {
      return;
    }
    const { showLog } = this.actions;
    const seeLog = showLog && { label: labelOf('gpuRental.showLog'), run: showLog };
    if (!(error instanceof UserError)) {
      this.log.error('Unexpected error', error);
      this.show(t('Something unexpected happened. See the log for details.'), seeLog);
      return;
    }
    this.log.warn(`${error.name}: ${error.message}`);
    // The editor cuts a message without buttons after one line, and the next step is in the second line.
    this.show(
      this.redactor.redact(localize(error.text)),
      stepAction(error, { ...this.actions, ...options }) ?? seeLog,
      needsCode(error) ? offeringInterruption : undefined,
    );
  }

  /** Shows a message, unless an equal one was just shown and is still open. */
  private show(
    text: string,
    action: Action | undefined,
    within: typeof offeringInterruption = (run) => Promise.resolve(run()),
  ): void {
    const now = editorElapsed();
    const before = this.shownAt.get(text);
    if (before !== undefined && now - before < floodMs) {
      return;
    }
    this.shownAt.set(text, now);
    const gone = () => this.shownAt.delete(text);
    const chosen = action && {
      ...action,
      run: () => {
        gone();
        return action.run();
      },
    };
    void within(() => suggest('error', text, chosen))
      .catch((error: unknown) => this.error(error))
      .finally(() => this.shownAt.get(text) === now && gone());
  }
}

/** Returns the button for the next step of an error; `undefined` if it has none, or none without `others`. */
export function stepAction(
  error: unknown,
  others: Partial<Record<NextStep, (() => unknown) | undefined>> = {},
): Action | undefined {
  if (!(error instanceof UserError)) {
    return undefined;
  }
  const { nextStep, consolePage } = error;
  const page = consolePage && { kind: consolePage };
  const own: Partial<Record<NextStep, () => unknown>> = {
    signIn: () => runCommand('gpuRental.signIn'),
    replaceKey: () => runCommand('gpuRental.replaceKey'),
    secondFactor: () => runCommand('gpuRental.tfa.signIn'),
    addSshKey: () => runCommand('gpuRental.ensureSshKey'),
    openConsole: () => runCommand('gpuRental.openConsole', page),
  };
  const label =
    nextStep === 'openConsole' && consolePage === 'credit' ? t('Add Credit') : stepLabel(nextStep);
  const run = own[nextStep] ?? others[nextStep];
  return label !== undefined && run ? { label, run } : undefined;
}

/** Returns the label of the button for a next step; `undefined` if it has none. */
export function stepLabel(step: NextStep): string | undefined {
  const labels: Record<NextStep, string | undefined> = {
    retry: t('Retry'),
    signIn: labelOf('gpuRental.signIn'),
    replaceKey: labelOf('gpuRental.replaceKey'),
    secondFactor: t('Enter Code'),
    openSettings: t('Open Settings'),
    showLog: labelOf('gpuRental.showLog'),
    addSshKey: titleOf('gpuRental.sshKey.add'),
    openConsole: labelOf('gpuRental.openConsole'),
    none: undefined,
  };
  return labels[step];
}
