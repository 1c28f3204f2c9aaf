import { mayHaveTakenEffect } from '../../api/errors';
import type { Account } from '../../store/accounts/accounts';
import { readPresence } from '../../store/instances/ends';
import { stopwatch, type Clock } from '../../util/clock';
import { isCancelled, UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
import type { ParkedRow, ParkingEvent } from '../model/parking';
import { cloudPathOf, isEndOfCopy, isFailedCopy } from '../model/secondCopy';
import type { Parkings } from './parkings';

interface Deps {
  readonly parkings: Pick<Parkings, 'putState'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The status of an instance appears about 30 seconds late (ms). */
const checkMs = 30_000;
/** A copy whose status is the same for so long counts as not confirmed, because its instance costs money (ms). */
const restMs = 10 * 60_000;
/** Hosts write the status, and one that never rests must not keep an instance (ms). */
const longestMs = 24 * 3_600_000;

/** What this window saw of a copy. */
interface Seen {
  readonly status: string;
  readonly restsSince: () => number;
  readonly since: () => number;
  /** An earlier copy may have left the same end. */
  readonly isOther: boolean;
}
export type CopiesSeen = Map<string, Seen>;

interface Step {
  readonly event?: ParkingEvent;
  readonly waitMs?: number;
}

/** Has the service copy the folder of a set to a cloud, and waits for its end. What fails here is told, and blocks nothing. */
export async function secondCopyStep(
  deps: Deps,
  account: Account,
  row: ParkedRow,
  signal: AbortSignal,
  seen: CopiesSeen,
): Promise<Step> {
  const { set, state } = row;
  const now = await readPresence(account.client, set.from.instanceId, signal).catch((error: unknown) => {
    deps.log.info(`The status of a second copy could not be read: ${String(error)}`);
    return undefined;
  });
  if (now?.kind === 'ended') {
    return notCopied(text('{0} ended before the copy was complete.', set.from.name));
  }
  const status = now?.kind === 'there' ? (now.instance.statusMessage ?? '').trim() : undefined;
  if (!state.copy) {
    seen.delete(set.id);
    // Without its status, an end that an earlier copy left would count as that of this one.
    return status === undefined ? { waitMs: checkMs } : begin(deps, account, row, status, signal);
  }
  return afterStatus(deps, row, status, seen);
}

/** Noted on disk before it is sent, so that no other window sends it again. */
async function begin(
  { clock, log, parkings }: Deps,
  { client }: Account,
  { set, state }: ParkedRow,
  before: string,
  signal: AbortSignal,
): Promise<Step> {
  const { cloud, root, from } = set;
  if (!cloud) {
    return { event: { kind: 'copied' } };
  }
  await parkings.putState({ ...state, copy: { begunAt: clock.now(), before } });
  try {
    const path = Buffer.from(root, 'latin1').toString();
    const to = { connectionId: cloud.connectionId, path: cloudPathOf(cloud, set) };
    await client.copies.toCloud({ instanceId: from.instanceId, path }, to, { signal });
  } catch (error) {
    if (isCancelled(error) || signal.aborted) {
      throw error;
    }
    log.warn(`The second copy of ${set.id} could not be begun: ${String(error)}`);
    if (!mayHaveTakenEffect(error)) {
      return notCopied(error instanceof UserError ? error.text : text('See the log for details.'));
    }
  }
  return { waitMs: checkMs };
}

function afterStatus(
  { clock }: Deps,
  { set: { id }, state: { copy } }: ParkedRow,
  read: string | undefined,
  seen: CopiesSeen,
): Step {
  const before = copy?.before ?? '';
  const known = seen.get(id) ?? {
    status: before,
    restsSince: stopwatch(clock),
    since: stopwatch(clock),
    isOther: false,
  };
  const status = read ?? known.status;
  const isOther = known.isOther || status !== before;
  const restsSince = status === known.status ? known.restsSince : stopwatch(clock);
  const ended: ParkingEvent | undefined = !isOther
    ? undefined
    : isEndOfCopy(status)
      ? { kind: 'copied' }
      : isFailedCopy(status)
        ? notCopied(text('The host reports: {0}', plainLabel(status).slice(0, 200))).event
        : undefined;
  const event =
    ended ??
    (restsSince() >= restMs || known.since() >= longestMs
      ? notCopied(text('The service did not confirm its end.')).event
      : undefined);
  if (event) {
    seen.delete(id);
    return { event };
  }
  seen.set(id, { ...known, status, restsSince, isOther });
  return { waitMs: checkMs };
}

function notCopied(why: Text): { readonly event: ParkingEvent } {
  return { event: { kind: 'notCopied', why } };
}
