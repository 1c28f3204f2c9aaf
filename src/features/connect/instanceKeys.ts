import { NotReachableError, ServiceFailedError, TimedOutError } from '../../api/errors';
import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import type { Services } from '../../services';
import { matchKeys } from '../../ssh/localKeys';
import type { PrepareRequest } from '../../ssh/prepareHost';

type Deps = Pick<Services, 'accounts' | 'ssh' | 'log'>;

/**
 * Public keys with which the instance lets somebody in; `undefined` where the service does not answer, or the right
 * one may not have been readable, so that a machine that was reached before stays reachable.
 */
export async function keysOf(
  { accounts, log, ssh }: Deps,
  instanceId: number,
  signal: AbortSignal,
): Promise<Pick<PrepareRequest, 'registeredKeys' | 'isOld' | 'log'>> {
  const client = accounts.active?.client;
  if (!client) {
    return { registeredKeys: undefined };
  }
  try {
    const own = await client.instances.keys(instanceId, { signal });
    // An empty list says little: keys of the account are put on instances without being listed there.
    const { items, skipped } = own.items.length > 0 ? own : await client.sshKeys.list({ signal });
    const lines = items.map((key) => key.publicKey);
    // One that could not be read may be the key of this computer.
    const isUnsure = skipped > 0 && matchKeys(await ssh.localKeys(), lines).length === 0;
    return {
      registeredKeys: isUnsure ? undefined : lines,
      log: () => client.instances.logs(instanceId, { tail: 2000 }, { signal }),
    };
  } catch (error) {
    if (down.some((kind) => error instanceof kind)) {
      log.warn(`Keys of instance ${instanceId} are not known: ${String(error)}`);
      return { registeredKeys: undefined, isOld: true };
    }
    throw error;
  }
}

/** The service is down; the instance may be up all the same. */
const down = [NotReachableError, TimedOutError, ServiceFailedError] as const;

/** Asks what to do where no key of this computer gets in; true where one was attached. */
export async function offerToAttach(instanceId: number): Promise<boolean> {
  const answer = await suggest<unknown>(
    'warning',
    t('No SSH key of this computer is on the instance, so it will not let you in.'),
    commandAction(t('Attach a Key…'), 'gpuRental.instance.attachKey', { instanceId }),
    { label: t('Try Anyway'), run: () => true },
  );
  return answer === true;
}
