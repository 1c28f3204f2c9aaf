import { machineOf, type JobRow } from '../../model/jobs/job';
import type { JobThere } from '../../model/jobs/onMachine';
import type { Account } from '../ports';
import type { JobStepDeps } from './jobStep';
import type { MachinePort } from './machinePort';
import type { Jobs } from './jobs';

/** What another computer, editor or account ordered there. It is shown, waited for and spared. */
export async function otherJobs(
  jobs: Pick<Jobs, 'find'>,
  machine: MachinePort,
  signal: AbortSignal,
): Promise<readonly JobThere[]> {
  return (await machine.jobsThere(signal)).filter(({ id }) => jobs.find(id.slice(0, 16)) === undefined);
}

/** Those that the end of the machine would take along; a machine that does not answer is known from before. */
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
