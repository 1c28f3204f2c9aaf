import { text, type Text } from '../../util/text';
import { isOver, type Job, type JobPhase, type JobRow, type JobState, type JobTrouble } from './job';
import { jobFolderGone } from './jobText';

type Next = readonly [phase: JobPhase, more: Partial<JobState>];

/** How long a machine may be stopped, and a fetch may fail otherwise, before the job is over again (ms). */
const stoppedMs = 2 * 60_000;
const failingMs = 30 * 60_000;

/** Returns whether the job is over, and may have outputs on a machine that it left there. */
export function mayReopen(row: JobRow): boolean {
  const { job, state } = row;
  const { outcome, end, reopened } = state;
  const isLeft = outcome === 'kept' || outcome === 'stopped' || outcome === 'unknown';
  const hasRun = state.isLost === true || end !== undefined || state.startedAt !== undefined;
  const isGone = end?.why === 'gone' || reopened?.why?.template === jobFolderGone.template;
  const hasOutputs = job.spec.outputs.length > 0;
  return isOver(row) && isLeft && hasRun && hasOutputs && !isGone && !isReopenAsked(row);
}

/** Returns whether the user asked for the outputs of this end of the job; takes the row as it is on disk. */
export function isReopenAsked({ job: { reopen }, state }: JobRow): boolean {
  const isNew = reopen !== undefined && reopen.at !== state.reopened?.at;
  return isOver({ state }) && isNew && reopen.since === state.since;
}

/** Returns whether the job is not over, or is asked not to be. */
export function isJobOpen(row: JobRow): boolean {
  return !isOver(row) || isReopenAsked(row);
}

/** Leads from the end of a job to the fetch of its outputs; nothing else of it happens again. */
export function reopenedState({ reopen }: Job, state: JobState, now: number): JobState {
  if (!reopen || reopen.at === state.reopened?.at || state.outcome === undefined) {
    return state;
  }
  const { outcome, fetchedAt } = state;
  return {
    ...state,
    phase: 'fetching',
    since: now,
    machine: reopen.machine ?? state.machine,
    outcome: undefined,
    why: undefined,
    fetchedAt: undefined,
    keepUntil: undefined,
    reopened: { at: reopen.at, outcome, fetchedAt },
  };
}

/**
 * Ends the fetch: the machine is left as the earlier end left it, unless it was started for the fetch or the user
 * decided otherwise since.
 */
export function afterReopened({ machineEnd, reopen }: Job, { reopened }: JobState): Next {
  return machineEnd !== undefined || reopen?.isStarted
    ? ['releasing', {}]
    : ['over', { outcome: reopened?.outcome ?? 'unknown' }];
}

/** Ends a fetch that brought nothing; without a reason if the user canceled it. */
export function notFetchedAgain(job: Job, state: JobState, why: Text | undefined): Next {
  const { reopened } = state;
  const [phase, more] = afterReopened(job, state);
  return [
    phase,
    { ...more, fetchedAt: reopened?.fetchedAt, ...(reopened && { reopened: { ...reopened, why } }) },
  ];
}

/** Returns why the fetch is given up: the job is over, so nothing may wait for its machine without end. */
export function giveUpReason(
  { phase, reopened }: JobState,
  trouble: JobTrouble | undefined,
): Text | undefined {
  if (phase !== 'fetching' || !reopened || !trouble) {
    return undefined;
  }
  const isStopped = trouble.kind === 'machineStopped';
  return trouble.lastedMs < (isStopped ? stoppedMs : failingMs)
    ? undefined
    : isStopped
      ? text('Its machine is stopped.')
      : (trouble.why ?? text('Its machine does not answer.'));
}
