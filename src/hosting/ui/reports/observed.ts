import type { Charge } from '../../../model/accounts/charge';
import type { Instance } from '../../../model/instances/instance';
import { ageMs, costSoFar } from '../../../model/instances/instanceCost';
import { instanceName } from '../../../model/instances/instanceLabel';
import type { Micros } from '../../../model/money';
import { costOf, stoppedRateOf } from '../../../model/quote';
import { costOfPast, type PastRental } from '../../../model/rentals/pastRental';

const hourMs = 3_600_000;

interface Observed {
  readonly charges: readonly Charge[];
  /** False if the cost of an instance is unknown. */
  readonly isWhole: boolean;
}

/**
 * Returns one charge for each instance of the list and each past rental of this computer: what the service charged, if
 * that was read, otherwise the most that the price allows.
 */
export function observedCharges(
  instances: readonly Instance[],
  pasts: readonly PastRental[],
  nowMs: number,
): Observed {
  const listed = new Set(instances.map(({ id }) => id));
  const charges = [
    ...instances.map((instance) => chargeOf(instance, nowMs, costSoFar(instance, nowMs))),
    ...pasts
      .filter(({ instance }) => !listed.has(instance.id))
      .map((past) => chargeOf(past.instance, past.endedAt, costOfPast(past)?.amount)),
  ];
  const known = charges.filter((charge) => charge !== undefined);
  return { charges: known, isWhole: known.length === charges.length };
}

function chargeOf(instance: Instance, untilMs: number, amount: Micros | undefined): Charge | undefined {
  const age = ageMs(instance, untilMs);
  if (instance.startedAt === undefined || age === undefined || amount === undefined) {
    return undefined;
  }
  return {
    start: Math.floor(instance.startedAt),
    end: Math.floor(instance.startedAt + age / 1000),
    type: 'instance',
    source: `instance-${instance.id}`,
    label: instanceName(instance),
    amount,
    items: itemsOf(instance, age, amount),
  };
}

/** The disk costs money all the time, the GPU the rest. */
function itemsOf(instance: Instance, age: number, amount: Micros): Charge['items'] {
  const stopped = stoppedRateOf(instance);
  const disk = stopped && costOf(stopped, age / hourMs);
  return disk === undefined || disk > amount
    ? []
    : [
        { type: 'gpu', amount: (amount - disk) as Micros },
        { type: 'disk', amount: disk },
      ];
}
