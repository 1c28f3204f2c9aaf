import { isCancelled, UserError, type NextStep } from '../util/errors';
import type { Log } from '../util/log';
import type { Redactor } from '../util/redact';
import { localize, t } from './localize';
import { message } from './message';

/** What the buttons of a message do; `retry` is given by whoever failed. */
export type StepActions = Partial<Record<NextStep, () => unknown>>;

/** The only place that talks to the user about errors: what failed, why, one action to take. */
export class Report {
  constructor(
    private readonly log: Log,
    private readonly redactor: Pick<Redactor, 'redact'>,
    private readonly actions: StepActions,
  ) {}

  /** Shows an error once; a cancelled action says nothing. `retry` adds a button where the error allows it. */
  error(error: unknown, options: { readonly retry?: () => unknown } = {}): void {
    if (isCancelled(error) || (error instanceof UserError && error.isTold)) {
      return;
    }
    const { showLog } = this.actions;
    const seeLog = showLog && { label: t('Show Log'), run: showLog };
    // The editor keeps one of several equal messages, so trouble that several meet at once is told once.
    if (!(error instanceof UserError)) {
      this.log.error('Unexpected error', error);
      message('error', t('GPU Rental ran into an unexpected problem. See the log for details.'), seeLog);
      return;
    }
    this.log.warn(`${error.name}: ${error.message}`);
    const run = error.nextStep === 'retry' ? options.retry : this.actions[error.nextStep];
    const label = stepLabel(error.nextStep);
    // The editor cuts a message without a button off after one line, and what to do stands in the second.
    message(
      'error',
      this.redactor.redact(localize(error.text)),
      label !== undefined && run ? { label, run } : seeLog,
    );
  }
}

/** The words on the button for a next step; undefined where there is none. */
export function stepLabel(step: NextStep): string | undefined {
  const labels: Record<NextStep, string | undefined> = {
    retry: t('Retry'),
    signIn: t('Sign In'),
    replaceKey: t('Replace Key'),
    secondFactor: t('Enter Code'),
    openSettings: t('Open Settings'),
    showLog: t('Show Log'),
    addSshKey: t('Add SSH Key'),
    openConsole: t('Open Web Console'),
    none: undefined,
  };
  return labels[step];
}
