import { commandAction, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { intentOf } from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { durationText } from '../../util/duration';
import { machineOf, type JobRow } from '../model/job';
import { jobCost, jobMs } from '../model/jobLimits';
import { causeText, jobEndText } from '../model/jobText';
import type { JobDeps } from './deps';
import { leftOutText } from './jobItems';
import { instanceAction, logAction, type JobMessage } from './jobMessage';

/** A machine that is neither stopped nor destroyed after the job still costs money, perhaps unnoticed. */
export function notStartedMessage(row: JobRow, fleet: JobDeps['fleet']): JobMessage {
  const { name, instanceId } = machineOf(row);
  const { outcome } = row.state;
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  // The list may be older than the end of a machine that was released.
  const isLeft = outcome === 'notStarted' || outcome === 'kept';
  const isRunning =
    isLeft && instance !== undefined && intentOf(instance, fleet.facts(instance.id)) === 'running';
  const rerun = titledAction('gpuRental.job.rerun', { jobId: row.job.id });
  return {
    level: 'warning',
    sentence: [notStartedSentence(row), ...(isRunning ? [stillCostsText(name, instance)] : [])].join(' '),
    actions: [rerun, ...(isRunning ? instanceAction(row) : [])],
  };
}

function stillCostsText(name: string, instance: Instance): string {
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

export type AgainKind = 'fetchedAgain' | 'notFetchedAgain';

/** Returns the message about a fetch of outputs after the end of a job. */
export function fetchedAgainMessage(row: JobRow, kind: AgainKind): JobMessage {
  const { job, state } = row;
  const { name } = job.spec;
  if (kind === 'notFetchedAgain') {
    const why = state.reopened?.why;
    return {
      level: 'warning',
      sentence: t('Could not fetch the outputs of {0} again. {1}', name, why ? localize(why) : ''),
      actions: [...instanceAction(row), logAction(row)],
    };
  }
  const { files = 0, leftOut = 0 } = state.outputs ?? {};
  const machine = afterwardsSentence(row);
  if (leftOut > 0) {
    const left = leftOutText(row) ?? '';
    return {
      level: 'warning',
      sentence: t('Some outputs of {0} could not be fetched again. {1} {2}', name, machine, left).trim(),
      actions: [logAction(row)],
    };
  }
  return files === 0
    ? {
        level: 'warning',
        sentence: t('No outputs of {0} were found. {1}', name, machine).trim(),
        actions: [logAction(row)],
      }
    : {
        level: 'info',
        sentence: t('Fetched the outputs of {0} again. {1}', name, machine).trim(),
        actions: [titledAction('gpuRental.job.openOutputs', { jobId: job.id })],
      };
}

/** A machine that ends has its own message. */
function afterwardsSentence(row: JobRow): string {
  const { job } = row;
  return job.machineEnd !== undefined || job.reopen?.isStarted
    ? ''
    : t('{0} was left as it is.', machineOf(row).name);
}

export type RunKind = 'ended' | 'triedAgain' | 'notCheckpointed';

/** Returns the message about the result of a job's command, or about its checkpoints. */
export function runMessage(row: JobRow, kind: RunKind, now: number): JobMessage {
  const { job, state } = row;
  const { name } = job.spec;
  const target = { jobId: job.id };
  const log = logAction(row);
  switch (kind) {
    case 'ended':
      return {
        level: state.end?.why === 'itself' && state.end.code === 0 ? 'info' : 'warning',
        sentence: endedSentence(row, now),
        actions: [
          ...((state.outputs?.files ?? 0) > 0 ? [titledAction('gpuRental.job.openOutputs', target)] : []),
          log,
        ],
      };
    case 'triedAgain':
      return { level: 'warning', sentence: againSentence(row), actions: [log] };
    case 'notCheckpointed':
      return {
        level: 'warning',
        sentence: t(
          'Could not save a checkpoint of {0} on this computer, so more work is lost if its machine is lost. {1}',
          name,
          state.checkpointProblem ? localize(state.checkpointProblem.why) : '',
        ),
        actions: [
          ...(state.checkpointProblem?.bytes === undefined
            ? []
            : [commandAction(t('Fetch Checkpoints…'), 'gpuRental.job.fetchOutputs', target)]),
          log,
        ],
      };
  }
}

function againSentence({ job, state }: JobRow): string {
  const cause = state.attempts?.at(-1)?.cause ?? '';
  const attempts = [job.spec.name, state.attempt, localize(causeText(cause))] as const;
  return state.firstHere === state.attempt
    ? t('{0} runs again on another machine (attempt {1}): {2}.', ...attempts)
    : t('{0} runs again (attempt {1}): {2}.', ...attempts);
}

function endedSentence(row: JobRow, now: number): string {
  const { job, state } = row;
  const time = durationText(jobMs(row, now));
  const cost = jobCost(row, now);
  const what = jobEndText(state.end);
  return cost === undefined
    ? t('{0}: {1} after {2}.', job.spec.name, localize(what), time)
    : t('{0}: {1} after {2}, for {3}.', job.spec.name, localize(what), time, formatMoney(cost));
}
