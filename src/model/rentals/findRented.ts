import type { Instance } from '../instances/instance';
import { markerIn } from '../instances/instanceLabel';

/** What is known about a rental whose answer did not arrive. */
export interface LostRental {
  readonly marker: string;
  /** Milliseconds since 1970. */
  readonly requestedAt: number;
  readonly machineId?: number | undefined;
  /** Undefined if the list before the rental is unknown. */
  readonly idsBefore?: readonly number[] | undefined;
}

export type RentedFinding =
  | { readonly kind: 'found'; readonly instanceId: number; readonly by: 'label' | 'id' }
  | { readonly kind: 'none' }
  /** One or more instances could match, so none is chosen. */
  | { readonly kind: 'unclear'; readonly instanceIds: readonly number[] };

/** The most by which the computer's clock and the service's may differ (ms). */
const clockSlackMs = 10 * 60_000;

/**
 * Finds the instance of a lost rental by the label that we sent. If the record has no label, the instance must be new,
 * on the right machine and not too old. `taken` holds the ids of other rentals.
 */
export function findRented(
  lost: LostRental,
  instances: readonly Instance[],
  taken: ReadonlySet<number>,
): RentedFinding {
  const labelled = instances.filter((one) => markerIn(one.label) === lost.marker);
  if (labelled[0]) {
    return { kind: 'found', instanceId: Math.min(...labelled.map(({ id }) => id)), by: 'label' };
  }
  const before = new Set(lost.idsBefore);
  const candidates = instances
    .filter((one) => !before.has(one.id) && !taken.has(one.id) && couldBe(lost, one))
    .map(({ id }) => id);
  const [first, ...others] = candidates;
  if (first === undefined) {
    return { kind: 'none' };
  }
  return others.length === 0 && lost.idsBefore !== undefined
    ? { kind: 'found', instanceId: first, by: 'id' }
    : { kind: 'unclear', instanceIds: candidates };
}

function couldBe(lost: LostRental, instance: Instance): boolean {
  const hasNoLabel = instance.label === undefined || instance.label.trim() === '';
  const isOnMachine =
    lost.machineId === undefined || instance.machineId === undefined || instance.machineId === lost.machineId;
  const isNew =
    instance.startedAt === undefined || instance.startedAt * 1000 >= lost.requestedAt - clockSlackMs;
  return hasNoLabel && isOnMachine && isNew;
}
