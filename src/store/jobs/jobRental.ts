import { instanceName } from '../../model/instances/instanceLabel';
import type { MachineOfJob, JobRow } from '../../model/jobs/job';
import type { JobEvent } from '../../model/jobs/jobProgress';
import { perHour, runningRateOf } from '../../model/quote';
import type { Clock } from '../../util/clock';
import { text } from '../../util/text';
import type { Fleet, Rental } from '../ports';
import { isBeingReplaced } from '../rentals/replacementMark';
import type { RentalStore } from '../rentals/rentalStore';

export interface JobRentalDeps {
  readonly rentals: Pick<RentalStore, 'rentals' | 'reread'>;
  readonly fleet: Pick<Fleet, 'find' | 'hasEnded'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Only what is in memory is looked at. */
const lookMs = 3_000;

/** The rental of a job, or the one that took its place in the end. */
export function currentRental(rentals: readonly Rental[], marker: string): Rental | undefined {
  let rental = rentals.find((one) => one.marker === marker);
  for (;;) {
    const before = rental;
    const next = rentals.find(
      ({ replaces, phase }) =>
        replaces !== undefined && replaces === before?.marker && phase.kind !== 'notRented',
    );
    if (!next) {
      return rental;
    }
    rental = next;
  }
}

/**
 * Follows the machine that is rented for a job until it is ready. It sends nothing: the rental has a journal of its own,
 * which settles a lost answer, and its failed starts are replaced by its own rules.
 */
export async function followRental(
  deps: JobRentalDeps,
  row: JobRow,
): Promise<{ readonly event?: JobEvent; readonly waitMs?: number }> {
  const { job, state } = row;
  const marker = job.rental?.marker ?? '';
  // In the first seconds of a window the journal may not be read yet: a stopped job would forget its machine.
  const rental = currentRental(deps.rentals.rentals, marker) ?? (await deps.rentals.reread(marker));
  if (!rental) {
    return job.stopAt === undefined ? { waitMs: lookMs } : { event: { kind: 'notStarted' } };
  }
  const { phase } = rental;
  if (phase.kind === 'notRented') {
    return { event: { kind: 'notStarted', why: phase.reason } };
  }
  const instanceId = 'instanceId' in phase ? phase.instanceId : undefined;
  if (instanceId === undefined) {
    return { waitMs: lookMs };
  }
  const machine = machineAt(deps, row, rental, instanceId);
  if (state.phase === 'renting' || state.machine?.instanceId !== instanceId) {
    return { event: { kind: 'rented', machine } };
  }
  if (isBeingReplaced(deps, rental)) {
    return { waitMs: lookMs };
  }
  if (deps.fleet.hasEnded(instanceId)) {
    return { event: { kind: 'machineGone', why: text('Its machine ended before it was ready.') } };
  }
  if (job.stopAt !== undefined) {
    return { event: { kind: 'notStarted' } };
  }
  if (phase.kind === 'ready') {
    return { event: { kind: 'ready', machine } };
  }
  const isStuck = (phase.kind === 'failed' && rental.replaceAt === undefined) || phase.kind === 'ended';
  return isStuck && state.trouble?.kind !== 'notReady'
    ? { event: { kind: 'failed', trouble: 'notReady' }, waitMs: lookMs }
    : { waitMs: lookMs };
}

/** Its own price as soon as the service states it; until then what it may cost at most. */
function machineAt(
  { fleet }: JobRentalDeps,
  { job }: JobRow,
  rental: Rental,
  instanceId: number,
): MachineOfJob {
  const instance = fleet.find(instanceId);
  const rate = instance && runningRateOf(instance);
  return {
    instanceId,
    name: instance ? instanceName(instance) : job.machine.name,
    perHour: rate === undefined ? (rental.mostPerHour ?? job.machine.perHour) : perHour(rate),
  };
}
