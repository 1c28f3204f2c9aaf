import { machineOf, type JobRow } from '../../model/jobs/job';
import { isLostHere } from '../../model/jobs/lostProgress';
import type { JobThere } from '../../model/jobs/onMachine';
import type { JobEvent } from '../../model/jobs/jobProgress';
import { isCancelled } from '../../util/errors';
import type { Account } from '../ports';
import type { JobStepDeps } from './jobStep';
import type { MachinePort } from './machinePort';
import type { Jobs } from './jobs';

/**
 * Returns the jobs that another computer, editor or account ordered on the machine; they are shown, waited for and
 * spared. So are jobs of this computer whose progress is lost: only the machine tells what became of them.
 */
export async function otherJobs(
  jobs: Pick<Jobs, 'find'>,
  machine: MachinePort,
  signal: AbortSignal,
): Promise<readonly JobThere[]> {
  return (await machine.jobsThere(signal)).filter(({ id }) => {
    const known = jobs.find(id.slice(0, 16));
    return !known || isLostHere(known);
  });
}

/** How often to look for them during a job (ms): once a machine is lost it can't be asked. */
const othersEveryMs = 10 * 60_000;

export function areOthersDue({ state }: JobRow, now: number): boolean {
  return now - (state.othersTriedAt ?? 0) >= othersEveryMs;
}

/** Looks for other jobs during a job. Failures are retried when the next look is due. */
export async function seeOthers(
  { jobs, log }: Pick<JobStepDeps, 'jobs' | 'log'>,
  machine: MachinePort,
  { job }: JobRow,
  signal: AbortSignal,
): Promise<JobEvent> {
  try {
    return { kind: 'othersSeen', others: await otherJobs(jobs, machine, signal) };
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    log.info(`The other jobs beside job ${job.id} could not be read: ${String(error)}`);
    return { kind: 'othersSeen' };
  }
}

/** Returns the jobs that the end of the machine would destroy; for an unreachable machine, those last seen. */
export async function othersInTheWay(
  deps: JobStepDeps,
  account: Account,
  row: JobRow,
  action: 'stop' | 'destroy',
  signal: AbortSignal,
): Promise<readonly JobThere[]> {
  const { instanceId } = machineOf(row);
  const known = row.state.others ?? [];
  const isRunning = instanceId !== undefined && deps.fleet.find(instanceId)?.actualStatus === 'running';
  const others = isRunning
    ? await otherJobs(deps.jobs, deps.machine(account, instanceId), signal).catch((error: unknown) => {
        if (signal.aborted) {
          throw error;
        }
        deps.log.info(`The jobs on instance ${instanceId} could not be read: ${String(error)}`);
        return known;
      })
    : known;
  return action === 'stop' ? others.filter(({ isAtWork }) => isAtWork && isRunning) : others;
}
