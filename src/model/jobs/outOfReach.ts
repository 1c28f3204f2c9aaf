import { isAtWork, isBeforeStart, isOver, isRenting, needsYou, type JobRow } from './job';

/** Returns whether the user stopped the job, and its machine does not answer, so that nothing confirms its end. */
function isOutOfReach(row: JobRow): boolean {
  const { job, state } = row;
  const kind = state.trouble?.kind;
  // Outputs of a started job can be fetched from a stopped machine.
  const isSilent = kind === 'unreachable' || (kind === 'machineStopped' && isBeforeStart(state.phase));
  return job.stopAt !== undefined && isSilent && isAtWork(row) && !isRenting(state.phase) && needsYou(row);
}

/** Returns whether the user may decide about the machine of the job now. */
export function canReleaseMachine(row: JobRow): boolean {
  return !isOver(row) && (!isAtWork(row) || isOutOfReach(row));
}

/** Returns whether the user decided to end the machine although it does not answer. */
export function isGivenUp(row: JobRow): boolean {
  const { machineEnd = 'keep' } = row.job;
  return machineEnd !== 'keep' && isOutOfReach(row);
}
