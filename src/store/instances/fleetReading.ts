import type { Client, InstanceListing } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import { withoutSecrets } from '../../model/instances/withoutSecrets';
import type { ReadOptions } from '../../shared/reading';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { Fleet, FleetSnapshot } from './fleetStore';
import { describeError } from './fleetShared';

type Known = Pick<Fleet, 'find' | 'hasEnded'>;

/**
 * Reads the list of instances, and the records of recent rentals that are not in it. Returns `undefined` if the read
 * was canceled. The list may contain instances that could not be read (`missing`, `skipped`).
 */
export async function readFleet(
  client: Client,
  known: Known,
  rentedIds: () => readonly number[],
  options: ReadOptions,
  log: Log,
): Promise<FleetSnapshot | undefined> {
  const list = await client.instances.list(options);
  const { items, skipped } = list;
  if (options.signal.aborted) {
    return undefined;
  }
  const present = new Set(items.map(({ id }) => id));
  // A new rental appears in its own record before it appears in the list.
  const ids = rentedIds().filter((id) => !present.has(id) && !known.hasEnded(id));
  const late = await Promise.all(ids.map((id) => readRecord(client, id, known, options, log)));
  return {
    instances: [...items, ...late.filter((record) => record !== undefined)].map(withoutSecrets),
    skipped,
    ...missingIn(list),
  };
}

/** Returns how many instances the service has that a list neither has nor skipped. */
export function missingIn({ items, skipped, found = 0 }: InstanceListing): Pick<FleetSnapshot, 'missing'> {
  const missing = found - items.length - skipped;
  return missing > 0 ? { missing } : {};
}

/** Reads the record of an instance. If that fails, returns what was known of it. */
async function readRecord(
  client: Client,
  id: number,
  known: Known,
  options: ReadOptions,
  log: Log,
): Promise<Instance | undefined> {
  try {
    return await client.instances.get(id, options);
  } catch (error) {
    if (isCancelled(error)) {
      throw error;
    }
    log.warn(`The record of the new instance ${id} could not be read: ${describeError(error)}`);
    return known.find(id);
  }
}
