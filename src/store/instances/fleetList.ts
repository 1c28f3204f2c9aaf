import type { Client, InstanceListing } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import { withoutSecrets } from '../../model/instances/withoutSecrets';
import { completedRecord } from '../../model/rentals/expectedInstance';
import type { Loaded, ReadOptions } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { Ends } from './ends';
import { describeError, reviveState, type FleetNews } from './fleetShared';
import { noRentals, type Fleet, type FleetSnapshot, type RecentRentals } from './fleetStore';
import { isComplete } from './listed';

/**
 * The instances of the active account as this window knows them. An instance that a list lacks stays, marked as
 * unconfirmed, until it counts as ended.
 */
export class FleetList {
  private readonly ends: Ends;
  private current: Loaded<FleetSnapshot> = { kind: 'idle' };
  private byId = new Map<number, Instance>();
  private rentals: Pick<RecentRentals, 'expected' | 'rented'> = noRentals;

  constructor(
    clock: Clock,
    private readonly onChange: (state: Loaded<FleetSnapshot>) => void,
  ) {
    this.ends = new Ends(clock);
  }

  get state(): Loaded<FleetSnapshot> {
    return this.current;
  }

  get instances(): readonly Instance[] {
    return [...this.byId.values()];
  }

  find(id: number): Instance | undefined {
    return this.byId.get(id);
  }

  hasEnded(id: number): boolean {
    return this.ends.hasEnded(id);
  }

  /** Drops the instances of the previous account. */
  clear(): void {
    this.ends.clear();
    this.rentals = noRentals;
    this.become({ kind: 'idle' });
  }

  become(read: Loaded<FleetSnapshot>): void {
    const state = this.withRentals(read);
    this.current = state;
    this.byId =
      state.kind === 'ready'
        ? new Map(state.value.instances.map((one) => [one.id, one]))
        : new Map<number, Instance>();
    this.onChange(state);
  }

  /**
   * Shows rented instances until an answer contains them, and adds fields that
   * records lack; returns whether anything changed.
   */
  expect(rentals: Pick<RecentRentals, 'expected' | 'rented'>): boolean {
    this.rentals = rentals;
    const isNew = this.current !== this.withRentals(this.current);
    if (isNew) {
      this.become(this.current);
    }
    return isNew;
  }

  /** Shows the list of an earlier window until a new one is read. */
  restore(value: FleetSnapshot, fetchedAt: number): void {
    this.become({ kind: 'ready', value, fetchedAt });
    this.ends.remember(this.byId.keys());
  }

  /** Adds the instances that a new list lacks and that are not proved to have ended. */
  withUnconfirmed(read: FleetSnapshot): FleetSnapshot {
    const present = new Set(read.instances.map(({ id }) => id));
    this.ends.learn(present, isComplete(read));
    const kept = this.instances.filter(({ id }) => !present.has(id) && !this.ends.hasEnded(id));
    return kept.length === 0
      ? read
      : { ...read, instances: [...read.instances, ...kept], unconfirmed: kept.map(({ id }) => id) };
  }

  /** Keeps the current list next to the error of a newer read. */
  fail(error: unknown): void {
    this.become(this.current.kind === 'ready' ? { ...this.current, error } : { kind: 'failed', error });
  }

  /** Adopts the state of the leading window. */
  applyNews(state: FleetNews['state']): void {
    // A leader that has just started knows less than a window that was open before.
    if (state.kind === 'idle' && this.current.kind !== 'loading') {
      return;
    }
    const revived = reviveState(state);
    if (revived.kind === 'ready' && revived.error === undefined) {
      const { instances, unconfirmed } = revived.value;
      const missing = new Set(unconfirmed);
      const present = instances.map(({ id }) => id).filter((id) => !missing.has(id));
      this.ends.remember(missing);
      this.ends.learn(new Set(present), isComplete(revived.value));
    }
    this.become(revived);
  }

  private withRentals(state: Loaded<FleetSnapshot>): Loaded<FleetSnapshot> {
    if (state.kind !== 'ready') {
      return state;
    }
    const { expected, rented } = this.rentals;
    const { instances } = state.value;
    const byId = new Map(rented.map((one) => [one.id, one]));
    const shown = instances.map((one) => completedRecord(one, byId.get(one.id) ?? one));
    const added = expected.filter(
      ({ id }) => !instances.some((one) => one.id === id) && !this.ends.hasEnded(id),
    );
    return added.length === 0 && shown.every((one, index) => one === instances[index])
      ? state
      : { ...state, value: { ...state.value, instances: [...shown, ...added] } };
  }

  /** Removes a row before the next list, because record and list agree that the instance is gone. */
  drop(id: number): void {
    this.ends.confirmed(id);
    if (this.current.kind === 'ready') {
      const { unconfirmed, ...value } = this.current.value;
      const instances = value.instances.filter((one) => one.id !== id);
      const others = (unconfirmed ?? []).filter((other) => other !== id);
      this.become({
        ...this.current,
        value: { ...value, instances, ...(others.length === 0 ? {} : { unconfirmed: others }) },
      });
    }
  }
}

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

/** Reads the record of an instance. If that fails, returns its last known state. */
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
