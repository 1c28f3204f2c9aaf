import { mayHaveTakenEffect } from '../../api/errors';
import type { Account } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import { stopwatch, type Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { ParkedWork } from '../model/parkedWork';
import type { ParkedRow, ParkingEvent } from '../model/parking';
import type { Parkings } from './parkings';

interface Deps {
  readonly parkings: Pick<Parkings, 'putState'>;
  readonly fleet: Pick<Fleet, 'hasEnded'>;
  readonly clock: Clock;
  readonly log: Log;
}

const lookMs = 30_000;
/** A copy of which nothing more arrives for so long is given up, because both instances cost money (ms). */
const restMs = 5 * 60_000;

/** What this window saw last of a copy, and for how long (ms). */
export type CarriesSeen = Map<string, { readonly seen: string; readonly since: () => number }>;

interface Step {
  readonly event?: ParkingEvent;
  readonly waitMs?: number;
}

/** Has the service copy a folder to the next machine, which proves it by the hashes of the old one. */
export async function carryStep(
  deps: Deps,
  account: Account,
  row: ParkedRow,
  /** On the next machine. */
  work: ParkedWork,
  signal: AbortSignal,
  seen: CarriesSeen,
): Promise<Step> {
  const { set, state } = row;
  const { next, carry } = state;
  if (!next || deps.fleet.hasEnded(next.instanceId)) {
    return {
      event: { kind: 'notRented', why: text('The new instance ended before the files were on it.') },
    };
  }
  if (!carry) {
    return begin(deps, account, row, work, signal, next.instanceId);
  }
  const { root, isWrong = false, seen: now } = await work.carry('look', signal);
  if (root !== undefined) {
    seen.delete(set.id);
    return { event: { kind: 'placed', root, isHere: false } };
  }
  const last = seen.get(set.id);
  const since = last?.seen === now ? last.since : stopwatch(deps.clock);
  seen.set(set.id, { seen: now, since });
  return isWrong || since() >= restMs ? giveUp(deps, account, row, work, signal, seen) : { waitMs: lookMs };
}

/** Noted on disk before it is sent, so that no window sends it again. */
async function begin(
  deps: Deps,
  { client }: Account,
  { set, state }: ParkedRow,
  work: ParkedWork,
  signal: AbortSignal,
  nextId: number,
): Promise<Step> {
  const { path, root: there } = await work.carry('begin', signal);
  if (there !== undefined) {
    return { event: { kind: 'placed', root: there, isHere: false } };
  }
  await deps.parkings.putState({ ...state, carry: { begunAt: deps.clock.now() } });
  try {
    // With a slash, what is in the folder is copied.
    const source = `${Buffer.from(set.root, 'latin1').toString()}/`;
    const from = { instanceId: set.from.instanceId, path: source };
    await client.copies.begin(from, { instanceId: nextId, path }, { signal });
  } catch (error) {
    if (isCancelled(error) || signal.aborted) {
      throw error;
    }
    deps.log.warn(`The service did not begin the copy of ${set.id}: ${String(error)}`);
    if (!mayHaveTakenEffect(error)) {
      return { event: { kind: 'notCarried' } };
    }
  }
  return { waitMs: lookMs };
}

/** What the service still copies must not mix with what is sent next. */
async function giveUp(
  { log }: Deps,
  { client }: Account,
  { set, state: { next } }: ParkedRow,
  work: ParkedWork,
  signal: AbortSignal,
  seen: CarriesSeen,
): Promise<Step> {
  await client.copies.cancel(next?.instanceId ?? 0, { signal }).catch((error: unknown) => {
    log.warn(`The copy of ${set.id} could not be canceled: ${String(error)}`);
  });
  await work.carry('drop', signal);
  seen.delete(set.id);
  return { event: { kind: 'notCarried' } };
}
