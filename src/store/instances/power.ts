import type { Client } from '../../api/client';
import { mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type { ImageChange } from '../../model/instances/imageChange';
import type { Instance } from '../../model/instances/instance';
import type { OwnRequest } from '../../model/instances/instanceState';
import { waitSince, type Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { ActingAccount } from '../accounts/accounts';
import { readPresence, type PresenceReading } from './ends';
import type { Fleet } from './fleetStore';

export type PowerRequest = Exclude<OwnRequest['kind'], 'destroy'>;

/**
 * The result of a power request. `queued`: the start waits for a free GPU. `notDone`: the answer was lost, and the
 * service reports no change. `ignored`: the service accepted the request, and reports no change. `notKnown`: nothing
 * could be read back.
 */
export type PowerVerdict = 'done' | 'queued' | 'notDone' | 'ignored' | 'notKnown';

export interface PowerDeps {
  readonly fleet: Pick<Fleet, 'note' | 'forget' | 'facts'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface PowerOptions extends Pick<CallOptions, 'isStillWanted'> {
  /** Ends the read-back. */
  readonly signal?: AbortSignal | undefined;
  /** Reads the state back even if the service accepted the request. */
  readonly readsBack?: boolean;
  /** Replaces the image of a recycled container. */
  readonly image?: ImageChange | undefined;
}

/** When to read back a request whose answer was lost, in milliseconds after it. */
const readBackAtMs = [0, 3000, 8000];

/**
 * Starts, stops, reboots or recycles an instance: sent once, and read back if the answer was lost. Rejects if the
 * service refused. A cancelled read-back returns `notKnown`, since the request has left.
 */
export async function changePower(
  deps: PowerDeps,
  account: ActingAccount,
  instance: Instance,
  kind: PowerRequest,
  { signal, image, readsBack = false, ...options }: PowerOptions = {},
): Promise<PowerVerdict> {
  const sent = await sendPower(deps, account, instance.id, kind, options, image);
  if (sent.answer !== 'lost' && !readsBack) {
    return sent.answer;
  }
  const verdict = await readBack(deps, account.client, instance, kind, signal);
  sent.turnedOut(verdict);
  return verdict === 'notDone' && sent.answer !== 'lost' ? 'ignored' : verdict;
}

/**
 * Sends the request once. If the answer is lost, the caller reads the state back and passes the verdict to
 * `turnedOut`.
 */
export async function sendPower(
  { fleet, clock, log }: PowerDeps,
  { key, client }: ActingAccount,
  id: number,
  kind: PowerRequest,
  options: Pick<CallOptions, 'isStillWanted'> = {},
  image?: ImageChange,
): Promise<{ readonly answer: 'done' | 'queued' | 'lost'; turnedOut(verdict: PowerVerdict): void }> {
  const before = fleet.facts(id).lastRequest;
  const request: OwnRequest = { kind, at: clock.now() };
  const isLatest = () => (fleet.facts(id).lastRequest?.at ?? 0) <= request.at;
  const turnedOut = (verdict: PowerVerdict) => {
    if (!isLatest()) {
      return;
    }
    if (verdict === 'done' || verdict === 'queued') {
      const more = verdict === 'queued' ? { queued: true } : ({ isAccepted: true } as const);
      fleet.note(id, { ...request, ...more }, key);
    } else if (verdict === 'notDone' && (kind === 'start' || kind === 'stop')) {
      restoreNote(fleet, id, before, key);
    }
  };
  if (kind === 'start' || kind === 'stop') {
    // Noted first, so that the row changes at once and no window mistakes a starting
    // instance that still reports `exited` for a failure.
    fleet.note(id, request, key);
  }
  try {
    const answer = await send(client, id, kind, options, image);
    turnedOut(answer);
    return { answer, turnedOut };
  } catch (error) {
    if (!mayHaveTakenEffect(error)) {
      turnedOut('notDone');
      throw error;
    }
    if (kind === 'stop') {
      // An unconfirmed stop must remain possible to repeat.
      restoreNote(fleet, id, before, key);
    }
    log.warn(`The answer to the ${kind} of ${id} was lost: ${String(error)}`);
    return { answer: 'lost', turnedOut };
  }
}

async function send(
  client: Client,
  id: number,
  kind: PowerRequest,
  options: CallOptions,
  image: ImageChange | undefined,
): Promise<'done' | 'queued'> {
  if (kind === 'start') {
    return (await client.instances.start(id, options)).queued ? 'queued' : 'done';
  }
  await (kind === 'recycle' && image
    ? client.instances.changeImage(id, image, options)
    : client.instances[kind](id, options));
  return 'done';
}

/** Restores the note that preceded a refused request. */
export function restoreNote(
  fleet: Pick<Fleet, 'note' | 'forget'>,
  id: number,
  before: OwnRequest | undefined,
  accountKey: string,
): void {
  if (before) {
    fleet.note(id, before, accountKey);
  } else {
    fleet.forget(id, accountKey);
  }
}

/** Reads back until the last attempt, since the effect of a request may show late. Throws if the instance is gone. */
async function readBack(
  { clock, log }: PowerDeps,
  client: Client,
  before: Instance,
  kind: PowerRequest,
  signal: AbortSignal | undefined,
): Promise<PowerVerdict> {
  const since = clock.elapsed();
  let verdict: PowerVerdict = 'notKnown';
  for (const atMs of readBackAtMs) {
    let reading: PresenceReading;
    try {
      await waitSince(clock, since, atMs, signal);
      reading = await readPresence(client, before.id, signal);
    } catch (error) {
      if (isCancelled(error)) {
        return 'notKnown';
      }
      verdict = 'notKnown';
      log.warn(`It could not be read back what became of the ${kind} of ${before.id}: ${String(error)}`);
      continue;
    }
    if (reading.kind === 'ended') {
      throw new NotFoundError();
    }
    verdict = reading.kind === 'there' ? judged(kind, before, reading.instance) : 'notKnown';
    if (verdict === 'done') {
      return verdict;
    }
  }
  return verdict;
}

function judged(kind: PowerRequest, before: Instance, now: Instance): PowerVerdict {
  if (kind === 'reboot' || kind === 'recycle') {
    return judgedReboot(before, now);
  }
  return powerVerdictOn(kind, now);
}

/** Returns the result of a start or stop by a record that was read after it. */
export function powerVerdictOn(kind: 'start' | 'stop', now: Instance): 'done' | 'notDone' | 'notKnown' {
  const aim = kind === 'start' ? 'running' : 'stopped';
  const intended = now.intendedStatus ?? now.nextState ?? now.currentState;
  return intended === undefined ? 'notKnown' : intended === aim ? 'done' : 'notDone';
}

/** A reboot keeps the intended state; it ends the container and restarts its uptime. */
function judgedReboot(before: Instance, now: Instance): PowerVerdict {
  if (now.actualStatus !== 'running') {
    return 'done';
  }
  return before.uptimeMinutes === undefined || now.uptimeMinutes === undefined
    ? 'notKnown'
    : now.uptimeMinutes < before.uptimeMinutes
      ? 'done'
      : 'notDone';
}
