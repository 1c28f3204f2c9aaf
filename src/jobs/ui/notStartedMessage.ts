import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { intentOf } from '../../model/instances/instanceState';
import { machineOf, type JobRow } from '../model/job';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import type { JobDeps } from './deps';
import { instanceAction, type ToldOfJob } from './jobTold';

/** A machine that is neither stopped nor destroyed after the job goes on costing money, which may be unseen. */
export function notStartedWords(row: JobRow, fleet: JobDeps['fleet']): ToldOfJob {
  const { name, instanceId } = machineOf(row);
  const { outcome } = row.state;
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  // The list may be older than the end of a machine that was released.
  const isLeft = outcome === 'notStarted' || outcome === 'kept';
  const isRunning =
    isLeft && instance !== undefined && intentOf(instance, fleet.facts(instance.id)) === 'running';
  const rerun = commandAction(t('Run Again'), 'gpuRental.job.rerun', { jobId: row.job.id });
  return {
    level: 'warning',
    sentence: [notStartedSentence(row), ...(isRunning ? [leftText(name, instance)] : [])].join(' '),
    actions: [rerun, ...(isRunning ? instanceAction(row) : [])],
  };
}

function leftText(name: string, instance: Instance): string {
  const rate = runningRateOf(instance);
  return rate === undefined
    ? t('{0} was left as it is and costs money.', name)
    : t('{0} was left as it is and costs {1}/h.', name, formatMoney(perHour(rate)));
}

function notStartedSentence(row: JobRow): string {
  const { job, state } = row;
  const { name } = job.spec;
  const { name: machine, instanceId } = machineOf(row);
  const why = state.why ?? '';
  if (state.end) {
    return t('{0} was not run again on {1}. {2}', name, machine, why);
  }
  return instanceId === undefined
    ? t('{0} was not started. {1}', name, why)
    : t('{0} was not started on {1}. {2}', name, machine, why);
}
