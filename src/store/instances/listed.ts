import type { Instance } from '../../model/instances/instance';
import { actionsFor } from '../../model/instances/instanceState';
import { outdatedMs } from '../../model/instances/pollPlan';
import type { Loaded } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { isWithin } from '../../util/duration';
import type { Fleet, FleetSnapshot } from './fleetStore';

/**
 * Returns the instances as last read. Without an instance it reads them now and rejects with the reason on failure:
 * neither an error nor an old list is "none", and an empty list is not read again by itself. `whileReading` can show
 * progress or cancel the read.
 */
export async function listedInstances(
  fleet: Pick<Fleet, 'state' | 'refresh'>,
  whileReading: (work: Promise<void>) => Promise<void> = (work) => work,
): Promise<readonly Instance[]> {
  const before = fleet.state;
  if (before.kind !== 'ready' || before.value.instances.length === 0) {
    await whileReading(fleet.refresh());
  }
  const { state } = fleet;
  if (state.kind === 'failed') {
    throw state.error;
  }
  return state.kind === 'ready' ? state.value.instances : [];
}

/** Returns those that a login can reach, listed in the same way. */
export async function connectableInstances(
  { fleet, clock }: { readonly fleet: Pick<Fleet, 'state' | 'refresh' | 'facts'>; readonly clock: Clock },
  whileReading?: (work: Promise<void>) => Promise<void>,
): Promise<readonly Instance[]> {
  const listed = await listedInstances(fleet, whileReading);
  return listed.filter((one) => actionsFor(one, fleet.facts(one.id), clock.now()).canConnect);
}

/** Returns whether the list is recent enough for a decision on everything that costs money. */
export function isCurrent(state: Loaded<FleetSnapshot>, now: number): boolean {
  return state.kind === 'ready' && isWithin(outdatedMs, state.fetchedAt, now);
}

/** Returns whether an instance that the list lacks is gone. */
export function isComplete(snapshot: FleetSnapshot): boolean {
  return snapshot.missing === undefined && snapshot.skipped === 0;
}

/** Returns whether an instance that the answer lacks does not exist. */
export function isCompleteList(list: {
  readonly items: readonly unknown[];
  readonly skipped: number;
  readonly found?: number | undefined;
}): boolean {
  return list.skipped === 0 && (list.found ?? 0) <= list.items.length;
}
