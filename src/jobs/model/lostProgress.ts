import { text } from '../../util/text';
import { isOver, newJobState, type Job, type JobRow, type JobState } from './job';

/** A damaged file that was set aside. */
export interface KeptAside {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Returns the state of a job whose progress is lost. The job is over: if it were continued from a guess, its command
 * could run again, or a machine be rented again.
 */
export function lostJobState(job: Job, kept: KeptAside | undefined): JobState {
  const why = text('Its progress is lost. Its machine may still run and cost money: check your instances.');
  const since = kept?.at ?? job.orderedAt;
  return {
    ...newJobState(job),
    phase: 'over',
    since,
    outcome: 'unknown',
    isLost: true,
    setAside: kept?.path,
    why,
  };
}

/** Returns whether the progress of the job is lost, so that it may still run or hold outputs on its machine. */
export function isLostHere({ state }: Pick<JobRow, 'state'>): boolean {
  return isOver({ state }) && state.outcome === 'unknown';
}
