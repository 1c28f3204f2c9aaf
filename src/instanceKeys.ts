import type { Client } from './api/client';
import {
  ApiError,
  NotReachableError,
  ServiceFailedError,
  TimedOutError,
  UnauthorizedError,
} from './api/errors';
import type { CallOptions } from './api/http';
import { matchKeys } from './ssh/localKeys';
import type { PrepareRequest } from './ssh/prepareHost';
import type { SshService } from './ssh/service';
import type { Account } from './store/accounts/accounts';
import type { Log } from './util/log';

interface Deps {
  readonly ssh: Pick<SshService, 'localKeys'>;
  readonly log: Log;
}

export type KeyAccount = Pick<Account, 'client' | 'user'>;

export interface RegisteredKeys {
  /** Public keys that the instance may accept, as they are registered. */
  readonly lines: readonly string[];
  /** Those of them that the instance lists. */
  readonly onInstance: readonly string[];
  /** The number of keys that could not be read. */
  readonly unread: number;
}

/**
 * Reads the public keys that the instance may accept. If none of this computer is among those that it lists, the keys of the
 * account are added: the service installs them on new instances without listing them there.
 */
export async function registeredKeysOf(
  ssh: Deps['ssh'],
  { client, user }: KeyAccount,
  instanceId: number,
  options: CallOptions = {},
): Promise<RegisteredKeys> {
  const own = await client.instances.keys(instanceId, options);
  const listed = own.items.map((key) => key.publicKey);
  if (matchKeys(await ssh.localKeys(options.signal), listed).length > 0) {
    return { lines: listed, onInstance: listed, unread: own.skipped };
  }
  const ofAccount = await client.sshKeys.list(options);
  const lines = [...listed, ...accountLines(ofAccount.items, user)];
  return { lines, onInstance: listed, unread: own.skipped + ofAccount.skipped };
}

/** Returns the keys that new instances accept: the listed ones, and the one in the account record. */
export function accountLines(
  listed: readonly { readonly publicKey: string }[],
  { sshKey }: KeyAccount['user'],
): readonly string[] {
  const lines = listed.map(({ publicKey }) => publicKey);
  return sshKey === undefined ? lines : [...lines, sshKey];
}

/**
 * Returns the keys for a login. They are `undefined` if the service does not answer, answers oddly, or if an unreadable
 * key may be the right one, so that a machine that was reachable before stays so.
 */
export async function keysOf(
  { log, ssh }: Deps,
  account: KeyAccount,
  instanceId: number,
  signal?: AbortSignal,
): Promise<Pick<PrepareRequest, 'registeredKeys' | 'isOld' | 'log'>> {
  const options = signal ? { signal } : {};
  const printed = printedLog(account.client, instanceId, options);
  try {
    const { lines, unread } = await registeredKeysOf(ssh, account, instanceId, options);
    // An unreadable key may be the key of this computer.
    const isUnsure = unread > 0 && matchKeys(await ssh.localKeys(), lines).length === 0;
    return { registeredKeys: isUnsure ? undefined : lines, log: printed };
  } catch (error) {
    if (!(error instanceof ApiError) || error instanceof UnauthorizedError) {
      throw error;
    }
    log.warn(`Keys of instance ${instanceId} are not known: ${String(error)}`);
    const isDown = down.some((kind) => error instanceof kind);
    return { registeredKeys: undefined, ...(isDown ? { isOld: true } : { log: printed }) };
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
