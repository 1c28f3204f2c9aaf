import { isBefore, isBeforeStart, machineOf, type JobPhase, type JobRow } from '../model/job';
import type { Jobs } from './jobs';

const accepted: readonly JobPhase[] = ['waiting', 'settingUp', 'running'];

/** Returns the other jobs of this computer on the machine of a job that are not over. */
function besides(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): readonly JobRow[] {
  const { instanceId } = machineOf(row);
  const rows = instanceId === undefined ? [] : jobs.ofInstance(instanceId);
  return rows.filter(({ job }) => job.id !== row.job.id);
}

/**
 * Returns whether a job waits before it is sent: only one at a time uses the mirror of a workspace, and is then started.
 * They go in their order, and an attempt that follows another does not overtake one that is on its way.
 */
export function isTurnOfAnother(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): boolean {
  const isSent = row.state.phase === 'syncing';
  return besides(jobs, row).some((other) => {
    const { phase } = other.state;
    if (phase === 'syncing') {
      return !isSent || cameFirst(other, row);
    }
    return phase === 'starting' || (!isSent && isBeforeStart(phase) && isBefore(other.job, row.job));
  });
}

/** Returns which of two jobs is sent that both found the mirror free. */
function cameFirst(one: JobRow, other: JobRow): boolean {
  return one.state.since === other.state.since
    ? isBefore(one.job, other.job)
    : one.state.since < other.state.since;
}

/**
 * Returns the jobs that a job waits for on the machine: those that it has accepted, whatever their order, because an
 * attempt that follows another comes after them. Each waits only for earlier ones, so none waits for itself.
 */
export function acceptedBefore(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): readonly JobRow[] {
  return besides(jobs, row).filter(({ state }) => accepted.includes(state.phase));
}
