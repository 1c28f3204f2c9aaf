import { fleetCostPerHour, noFacts, stateOf } from '../../model/instances/instanceState';
import { fromDollars, subtract, type Micros } from '../../model/money';
import { perHour, sumRates, type Rate } from '../../model/quote';
import { expectedInstance } from '../../model/rentals/expectedInstance';
import { volumesRate, type Volume } from '../../model/volume';
import type { Reading } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import type { RentalStore, Rental } from '../rentals/rentalStore';
import type { Fleet } from './fleetStore';
import { isCurrent } from './listed';

export interface Burn {
  /** The rate of all instances and volumes. */
  readonly rate: Rate;
  readonly perHour: Micros;
  /** The share of the volumes. */
  readonly volumesPerHour: Micros;
  /** True if the rate is a lower bound: a price is missing, or not everything could be read. */
  readonly isPartial: boolean;
  /** True if the price of a disk is unknown and that of its running machine is in the rate instead. */
  readonly isAtMost: boolean;
  /** True if the rate is only partial because the volumes have not been read yet. */
  readonly isEarly: boolean;
}

/**
 * Returns the signs that are shown before the rate, and before how long the credit
 * lasts, if they differ from what is paid.
 */
export function signsOf({
  isPartial,
  isEarly,
  isAtMost,
}: Omit<Burn, 'rate' | 'perHour' | 'volumesPerHour'>): {
  readonly rate: BoundSign;
  readonly credit: BoundSign;
} {
  const isAtLeast = isPartial && !isEarly;
  if (isAtLeast && isAtMost) {
    return { rate: '≈ ', credit: '≈ ' };
  }
  return isAtLeast
    ? { rate: '≥ ', credit: '≤ ' }
    : isAtMost
      ? { rate: '≤ ', credit: '≥ ' }
      : { rate: '', credit: '' };
}

export type BoundSign = '' | '≥ ' | '≤ ' | '≈ ';

interface BurnDeps {
  readonly fleet: Pick<Fleet, 'state' | 'facts'>;
  readonly volumes: Pick<Reading<readonly Volume[]>, 'state'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface BurnSoonDeps extends BurnDeps {
  readonly rentals: Pick<RentalStore, 'rentals'>;
}

/**
 * Returns what the active account pays now, as far as this window knows: the one figure behind all views and
 * questions.
 */
export function burnNow({
  fleet,
  volumes,
  clock,
  without = [],
  sent = [],
}: BurnDeps & {
  /** The ids of instances to leave out. */
  readonly without?: readonly number[];
  /** Rentals to add. */
  readonly sent?: readonly Rental[];
}): Burn {
  const now = clock.now();
  const list = fleet.state.kind === 'ready' ? fleet.state.value : undefined;
  const listed = (list?.instances ?? []).filter(({ id }) => !without.includes(id));
  const machines = fleetCostPerHour([
    ...listed.map((one) => [one, stateOf(one, fleet.facts(one.id), now)] as const),
    ...sent.map((one) => {
      const machine = expectedInstance(0, one);
      return [machine, stateOf(machine, noFacts, now)] as const;
    }),
  ]);
  const disks = volumesRate(volumes.state.kind === 'ready' ? volumes.state.value : undefined);
  const rate = sumRates(machines.rate, disks.rate);
  const lacksInstances =
    machines.isPartial || list?.missing !== undefined || list === undefined || list.skipped > 0;
  return {
    rate,
    perHour: perHour(rate),
    volumesPerHour: perHour(disks.rate),
    isPartial:
      lacksInstances ||
      disks.isPartial ||
      (volumes.state.kind === 'ready' && volumes.state.skipped !== undefined),
    isAtMost: machines.isAtMost,
    isEarly: !lacksInstances && (volumes.state.kind === 'idle' || volumes.state.kind === 'loading'),
  };
}

/**
 * Returns what limits apply to: what is paid now, and rentals that were sent and are in no list yet. An outdated list
 * may lack instances.
 */
export function burnSoon({ rentals, ...deps }: BurnSoonDeps, without: readonly number[] = []): Burn {
  const sent = rentals.rentals.filter(({ phase: { kind } }) => kind === 'sent' || kind === 'notKnown');
  const burn = burnNow({ ...deps, sent, without });
  return isCurrent(deps.fleet.state, deps.clock.now()) ? burn : { ...burn, isPartial: true, isEarly: false };
}

/**
 * Returns how much of the user's hourly limit (in dollars) the other instances and the volumes leave for a
 * replacement.
 */
export function roomBeside(
  deps: BurnSoonDeps,
  limitPerHour: number,
  instanceId: number,
): { readonly roomPerHour?: Micros } {
  return limitPerHour <= 0
    ? {}
    : {
        roomPerHour: subtract(fromDollars(limitPerHour), burnSoon(deps, [instanceId]).perHour),
      };
}
