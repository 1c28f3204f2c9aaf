import type { Client } from './api/client';
import type { CallOptions } from './api/http';
import { NotReachableError, ServiceFailedError, TimedOutError } from './api/errors';
import { matchKeys } from './ssh/localKeys';
import type { PrepareRequest } from './ssh/prepareHost';
import type { SshService } from './ssh/service';
import type { Log } from './util/log';

interface Deps {
  readonly ssh: Pick<SshService, 'localKeys'>;
  readonly log: Log;
}

/**
 * Reads the public keys that the instance accepts. They are `undefined` if the service does not answer or if an
 * unreadable key may be the right one, so that a machine that was reachable before stays so.
 */
export async function keysOf(
  { log, ssh }: Deps,
  client: Client,
  instanceId: number,
  signal?: AbortSignal,
): Promise<Pick<PrepareRequest, 'registeredKeys' | 'isOld' | 'log'>> {
  const options = signal ? { signal } : {};
  try {
    const own = await client.instances.keys(instanceId, options);
    // An empty list proves nothing: the service installs keys of the account on instances without listing them there.
    const { items, skipped } = own.items.length > 0 ? own : await client.sshKeys.list({ signal });
    const lines = items.map((key) => key.publicKey);
    // An unreadable key may be the key of this computer.
    const isUnsure = skipped > 0 && matchKeys(await ssh.localKeys(), lines).length === 0;
    return {
      registeredKeys: isUnsure ? undefined : lines,
      log: printedLog(client, instanceId, options),
    };
  } catch (error) {
    if (down.some((kind) => error instanceof kind)) {
      log.warn(`Keys of instance ${instanceId} are not known: ${String(error)}`);
      return { registeredKeys: undefined, isOld: true };
    }
    throw error;
  }
}

/**
 * Returns how the log of an instance is read for the host key that some images print there. Each request that may be
 * the first contact needs it, in the background as well: the first login stores the host key.
 */
export function printedLog(
  client: Client,
  instanceId: number,
  options: CallOptions,
): NonNullable<PrepareRequest['log']> {
  return () => client.instances.logs(instanceId, { tail: 2000 }, options);
}

/** Errors of an unreachable service; the instance may still be running. */
const down = [NotReachableError, TimedOutError, ServiceFailedError] as const;
