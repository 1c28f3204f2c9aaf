import { fleetCostPerHour, stateOf } from '../../model/instances/instanceState';
import { perHour, sumRates, type Rate } from '../../model/quote';
import { volumesRate } from '../../model/volume';
import { fromDollars, subtract, type Micros } from '../../model/money';
import type { Clock } from '../../util/clock';
import type { Fleet, VolumeList } from '../ports';

export interface Burn {
  /** The rate of all instances and volumes. */
  readonly rate: Rate;
  readonly perHour: Micros;
  /** The share of the volumes. */
  readonly volumesPerHour: Micros;
  /** True if the rate is a lower bound: a price is missing, or not everything could be read. */
  readonly isPartial: boolean;
  /** True if the only reason is that the volumes have not been read yet. */
  readonly isEarly: boolean;
}

/**
 * Returns what the active account pays now, as far as this window knows: the one figure behind all views and
 * questions.
 */
export function burnNow({
  fleet,
  volumes,
  clock,
  without,
}: {
  readonly fleet: Pick<Fleet, 'state' | 'facts'>;
  readonly volumes: Pick<VolumeList, 'state'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The id of an instance to leave out. */
  readonly without?: number;
}): Burn {
  const now = clock.now();
  const list = fleet.state.kind === 'ready' ? fleet.state.value : undefined;
  const machines = fleetCostPerHour(
    (list?.instances ?? [])
      .filter(({ id }) => id !== without)
      .map((one) => [one, stateOf(one, fleet.facts(one.id), now)] as const),
  );
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
    isEarly: !lacksInstances && (volumes.state.kind === 'idle' || volumes.state.kind === 'loading'),
  };
}

/**
 * Returns how much of the user's hourly limit (in dollars) the other instances and the volumes leave for a
 * replacement.
 */
export function roomBeside(
  deps: Omit<Parameters<typeof burnNow>[0], 'without'>,
  limitPerHour: number,
  instanceId: number,
): { readonly roomPerHour?: Micros } {
  return limitPerHour <= 0
    ? {}
    : {
        roomPerHour: subtract(fromDollars(limitPerHour), burnNow({ ...deps, without: instanceId }).perHour),
      };
}
