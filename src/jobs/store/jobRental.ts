import { instanceName } from '../../model/instances/instanceLabel';
import { perHour, runningRateOf } from '../../model/quote';
import type { Fleet } from '../../store/instances/fleetStore';
import { currentRental } from '../../store/rentals/currentRental';
import type { RentalStore, Rental } from '../../store/rentals/rentalStore';
import { isBeingReplaced } from '../../store/rentals/replacementMark';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { text } from '../../util/text';
import type { MachineOfJob, JobRow } from '../model/job';
import type { JobEvent } from '../model/jobProgress';
import type { Jobs } from './jobs';

export interface JobRentalDeps {
  readonly rentals: Pick<RentalStore, 'rentals' | 'reread' | 'damaged'>;
  readonly fleet: Pick<Fleet, 'find' | 'hasEnded'>;
  readonly hub: Pick<WindowHub, 'windowId' | 'peers'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly jobs: Pick<Jobs, 'giveUpRental'>;
}

/** Short, because only memory is read (ms). */
const checkMs = 3_000;
/** A renting window that is silent for this long is gone (ms). */
const renterGoneMs = 15_000;

/**
 * Follows the machine that is rented for a job until it is ready. It sends nothing: the rental's own journal settles
 * a lost answer, and its own rules replace failed starts.
 */
export async function followRental(
  deps: JobRentalDeps,
  row: JobRow,
): Promise<{ readonly event?: JobEvent; readonly waitMs?: number }> {
  const { job, state } = row;
  const marker = job.rental?.marker ?? '';
  // Right after a window opens the journal may not be read yet, and a stopped job would lose its machine.
  const rental = currentRental(deps.rentals.rentals, marker) ?? (await deps.rentals.reread(marker));
  // A renting window that is open still knows it, and writes it again.
  if (!rental && deps.rentals.damaged.has(marker) && !isRenterHere(deps, row)) {
    const why = text(
      'The file of its rental is damaged. A machine may have been rented for it. Look at your instances.',
    );
    return { event: { kind: 'notStarted', why } };
  }
  if (!rental) {
    return job.decidedAt.stop === undefined ? awaitRental(deps, row) : { event: { kind: 'notStarted' } };
  }
  const { phase } = rental;
  if (phase.kind === 'notRented') {
    // The renting window assigns the job to another of its machines, if it gets one.
    return isRenterHere(deps, row) && job.decidedAt.stop === undefined && job.rental?.isGivenUp !== true
      ? { waitMs: checkMs }
      : { event: { kind: 'notStarted', why: phase.reason } };
  }
  const instanceId = 'instanceId' in phase ? phase.instanceId : undefined;
  if (instanceId === undefined) {
    return { waitMs: checkMs };
  }
  const machine = machineAt(deps, row, rental, instanceId);
  if (state.phase === 'renting' || state.machine?.instanceId !== instanceId) {
    return { event: { kind: 'rented', machine } };
  }
  if (isBeingReplaced(deps, rental)) {
    return { waitMs: checkMs };
  }
  if (deps.fleet.hasEnded(instanceId)) {
    return { event: { kind: 'machineGone', why: text('Its machine ended before it was ready.') } };
  }
  if (job.decidedAt.stop !== undefined) {
    return { event: { kind: 'notStarted' } };
  }
  if (phase.kind === 'ready') {
    return { event: { kind: 'ready', machine } };
  }
  const isStuck = (phase.kind === 'failed' && rental.replaceAt === undefined) || phase.kind === 'ended';
  return isStuck && state.trouble?.kind !== 'notReady'
    ? { event: { kind: 'failed', trouble: 'notReady' }, waitMs: checkMs }
    : { waitMs: checkMs };
}

function isRenterHere({ hub }: JobRentalDeps, { job: { rental } }: JobRow): boolean {
  return rental?.by !== undefined && (rental.by === hub.windowId || hub.peers.has(rental.by));
}

/**
 * Gives up a job whose rental was never noted because its window closed between two rentals. It first stores that no
 * rental may be sent any more. A window that only hung reads that after noting its rental, so one of the two sees
 * what the other wrote.
 */
async function awaitRental(
  deps: JobRentalDeps,
  row: JobRow,
): Promise<{ readonly event?: JobEvent; readonly waitMs?: number }> {
  const { unrentedSince } = row.state;
  const why = text('Its window closed before a machine was rented for it.');
  if (row.job.rental?.isGivenUp === true) {
    return { event: { kind: 'notStarted', why } };
  }
  if (row.job.rental?.by === undefined) {
    return { waitMs: checkMs };
  }
  if (isRenterHere(deps, row)) {
    return unrentedSince === undefined
      ? { waitMs: checkMs }
      : { event: { kind: 'unrented', isGone: false }, waitMs: checkMs };
  }
  if (unrentedSince === undefined) {
    return { event: { kind: 'unrented', isGone: true }, waitMs: checkMs };
  }
  const goneMs = deps.clock.now() - unrentedSince;
  // A clock that was set back can't measure it, and what is on disk decides who acts.
  if (goneMs >= 0 && goneMs < renterGoneMs) {
    return { waitMs: checkMs };
  }
  await deps.jobs.giveUpRental(row.job.id);
  if (await deps.rentals.reread(row.job.rental.marker)) {
    // Its window has just noted it.
    return { waitMs: checkMs };
  }
  return { event: { kind: 'notStarted', why } };
}

/** Returns the machine with its own price once the service states it; until then with the confirmed maximum. */
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
