import type { Job, JobRow } from './job';

/** Its outputs were fetched, and its machine has them until its end, which has not begun. */
export function isFetchRepeatable({ state }: Pick<JobRow, 'state'>): boolean {
  return state.phase === 'fetched' || state.phase === 'keeping';
}

/** Returns whether the user requested the outputs again after they were fetched. */
export function isFetchAsked({ job, state }: JobRow): boolean {
  return isFetchRepeatable({ state }) && job.decidedAt.retry !== state.fetchedFor;
}

/** Returns whether the user paused fetching and has not resumed it. */
export function isFetchPaused({ decidedAt: { pauseFetch, retry = 0 } }: Job): boolean {
  return pauseFetch !== undefined && retry <= pauseFetch;
}
