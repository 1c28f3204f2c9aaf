import type { Client } from '../../api/client';
import { GoneError, mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import type { CallOptions } from '../../api/http';
import { waitSince, type Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { ActingAccount } from '../accounts/accounts';
import { readPresence } from './ends';
import type { Fleet } from './fleetStore';
import { restoreNote } from './power';

/** The result of reading back. `notConfirmed`: the instance may still exist and cost money. */
export type DestroyVerdict = 'destroyed' | 'notConfirmed';

export interface DestructionDeps {
  readonly fleet: Pick<Fleet, 'note' | 'forget' | 'refresh' | 'facts'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** When to check whether a request took effect, in milliseconds after the answer. */
export const checkAtMs = [0, 3000, 8000, 20_000, 40_000];

/**
 * Destroys an instance, sending the request once, and reads back whether it is gone, because some were listed
 * again. Rejects if the service refused. A cancelled wait returns `notConfirmed`, since the request was sent.
 */
export async function destroyAndVerify(
  deps: DestructionDeps,
  { key, client }: ActingAccount,
  instanceId: number,
  signal?: AbortSignal,
  options: Pick<CallOptions, 'isStillWanted'> = {},
): Promise<DestroyVerdict> {
  signal?.throwIfAborted();
  const before = deps.fleet.facts(instanceId).lastRequest;
  // Noted first, so that no window mistakes what follows for a failure of the machine.
  deps.fleet.note(instanceId, { kind: 'destroy' }, key);
  try {
    await client.instances.destroy(instanceId, options);
    deps.fleet.note(instanceId, { kind: 'destroy', isAccepted: true }, key);
  } catch (error) {
    if (!mayBeGone(error)) {
      restoreNote(deps.fleet, instanceId, before, key);
      throw error;
    }
    deps.log.warn(`The answer to destroying ${instanceId} is not known: ${String(error)}`);
  }
  const verdict = await verify(deps, client, instanceId, signal);
  if (verdict === 'destroyed') {
    deps.fleet.note(instanceId, { kind: 'destroy', tookEffect: true }, key);
  }
  void deps.fleet.refresh().catch((error: unknown) => {
    deps.log.warn(`The list could not be read after destroying: ${String(error)}`);
  });
  return verdict;
}

async function verify(
  deps: DestructionDeps,
  client: Client,
  instanceId: number,
  signal: AbortSignal | undefined,
): Promise<DestroyVerdict> {
  const since = deps.clock.elapsed();
  for (const atMs of checkAtMs) {
    try {
      await waitSince(deps.clock, since, atMs, signal);
      if ((await readPresence(client, instanceId, signal)).kind === 'ended') {
        return 'destroyed';
      }
    } catch (error) {
      if (isCancelled(error)) {
        return 'notConfirmed';
      }
      deps.log.warn(`It could not be read back whether ${instanceId} is gone: ${String(error)}`);
    }
  }
  return 'notConfirmed';
}

/** Returns true if the instance is gone already or the request may have taken effect. */
function mayBeGone(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof GoneError || mayHaveTakenEffect(error);
}
