import { isAtWork, isOver, isRenting, mayHaveStarted, needsYou, type JobRow } from './job';

/** Returns whether the user stopped the job, and its machine does not answer, so that nothing confirms its end. */
function isOutOfReach(row: JobRow): boolean {
  const { job, state } = row;
  const kind = state.trouble?.kind;
  // Outputs of a started job can be fetched from a stopped machine.
  const isSilent =
    kind === 'unreachable' ||
    kind === 'machineFails' ||
    (kind === 'machineStopped' && !mayHaveStarted(state.phase));
  return (
    job.decidedAt.stop !== undefined && isSilent && isAtWork(row) && !isRenting(state.phase) && needsYou(row)
  );
}

/**
 * Returns whether the machine of a job that may have started is stopped: nothing
 * is running, and outputs may be there.
 */
export function isLeftStopped({ state }: Pick<JobRow, 'state'>): boolean {
  return state.trouble?.kind === 'machineStopped' && !isOver({ state }) && mayHaveStarted(state.phase);
}

/** Returns whether the user may decide about the machine of the job now. */
export function canReleaseMachine(row: JobRow): boolean {
  // One at work whose fetch fails is on a machine that is stopped.
  const isFree = !isAtWork(row) || row.state.trouble?.kind === 'fetch';
  return !isOver(row) && (isFree || isOutOfReach(row) || isLeftStopped(row));
}

/** Returns whether the user decided to end the machine after its outputs could not be fetched. */
export function isFetchGivenUp({ job, state }: JobRow): boolean {
  const { machineEnd = 'keep', decidedAt } = job;
  const { trouble } = state;
  const isLater = trouble?.kind === 'fetch' && (decidedAt.endMachine ?? 0) > trouble.since;
  return isLater && machineEnd !== 'keep' && needsYou({ state });
}

/**
 * Returns whether the user decided to end the machine although it does not answer, or one with outputs on it that is
 * stopped, whose fetch the user canceled or was asked about. An earlier decision is for the time after the fetch.
 */
export function isGivenUp(row: JobRow): boolean {
  const { machineEnd = 'keep', decidedAt } = row.job;
  const { trouble } = row.state;
  const isUnfetched =
    isLeftStopped(row) || trouble?.kind === 'fetchPaused' || trouble?.kind === 'largeOutputs';
  const isLeft = isUnfetched && (decidedAt.endMachine ?? 0) > (trouble?.since ?? 0);
  return machineEnd !== 'keep' && (isOutOfReach(row) || isLeft);
}
