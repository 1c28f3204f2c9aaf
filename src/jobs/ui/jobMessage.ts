import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import type { Action, MessageLevel } from '../../editor/message';
import { labelOf } from '../../editor/titles';
import { formatMoney } from '../../model/money';
import { machineOf, type JobRow } from '../model/job';

/** A message about a job. */
export interface JobMessage {
  readonly level: MessageLevel;
  readonly sentence: string;
  readonly actions: readonly Action[];
}

export function logAction({ job }: JobRow): Action {
  return commandAction(labelOf('gpuRental.showLog'), 'gpuRental.job.showLog', { jobId: job.id });
}

export function instanceAction(row: JobRow): readonly Action[] {
  const { instanceId } = machineOf(row);
  return instanceId === undefined
    ? []
    : [commandAction(t('Show Instance'), 'gpuRental.instance.reveal', { instanceId })];
}

/** What the machine of a job costs while it does not get on. */
export function stillCosts(row: JobRow): string {
  const { perHour } = machineOf(row);
  return perHour === undefined
    ? t('It still costs money.')
    : t('It still costs {0}/h.', formatMoney(perHour));
}
