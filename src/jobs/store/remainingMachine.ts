import { instanceName } from '../../model/instances/instanceLabel';
import { perHour, runningRateOf } from '../../model/quote';
import { currentRental } from '../../store/rentals/currentRental';
import { machineOf, type JobRow, type MachineOfJob } from '../model/job';
import { mayReopen } from '../model/reopenedJob';
import type { JobRentalDeps } from './jobRental';

export interface RemainingMachineDeps {
  readonly fleet: Pick<JobRentalDeps['fleet'], 'find' | 'hasEnded'>;
  readonly rentals: Pick<JobRentalDeps['rentals'], 'rentals'>;
}

/** Returns the machine from which the outputs of a job that is over can be fetched; `undefined` if it is gone. */
export function remainingMachine(
  { fleet, rentals }: RemainingMachineDeps,
  row: JobRow,
): MachineOfJob | undefined {
  if (!mayReopen(row)) {
    return undefined;
  }
  const instanceId = machineOf(row).instanceId ?? rentedFor(rentals, row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  if (!instance || fleet.hasEnded(instance.id)) {
    return undefined;
  }
  const rate = runningRateOf(instance);
  return {
    instanceId: instance.id,
    name: instanceName(instance),
    ...(rate === undefined ? {} : { perHour: perHour(rate) }),
  };
}

/** Returns the instance that was rented for a job whose progress, which named it, is lost. */
function rentedFor({ rentals }: RemainingMachineDeps['rentals'], { job }: JobRow): number | undefined {
  const { phase } = (job.rental && currentRental(rentals, job.rental.marker)) ?? {};
  return phase && 'instanceId' in phase ? phase.instanceId : undefined;
}
