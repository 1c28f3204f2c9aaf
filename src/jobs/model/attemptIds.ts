import type { Job, JobState } from './job';

/**
 * Returns the id of the attempt whose files this one may continue from: on the same machine, or the checkpoint there.
 */
export function attemptBefore(job: Job, state: JobState): string | undefined {
  const { attempt, firstHere = 1, checkpoint } = state;
  const isThere = attempt > firstHere || (attempt > 1 && checkpoint !== undefined);
  return isThere ? attemptId(job, { ...state, attempt: attempt - 1 }) : undefined;
}

/** Returns the name of an attempt's folder on its machine. */
export function attemptId({ id }: Job, { attempt }: Pick<JobState, 'attempt'>): string {
  return id + attempt.toString(16).padStart(2, '0');
}

/** Returns the folders of a job on its machine: those of its attempts there, and of a checkpoint sent to it. */
export function attemptIdsHere(job: Job, { attempt, firstHere = 1 }: JobState): readonly string[] {
  const first = Math.max(1, firstHere - 1);
  return Array.from({ length: attempt - first + 1 }, (_, index) =>
    attemptId(job, { attempt: first + index }),
  );
}
