import type { Clock } from '../../util/clock';
import { isWithin } from '../../util/duration';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { isComplete, isCompleteList } from '../instances/listed';
import type { Account } from '../accounts/accounts';
import type { Fleet } from '../instances/fleetStore';

interface Deps {
  readonly fleet: Pick<Fleet, 'state'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** The account whose instances the fleet shows. */
  readonly accountKey: string | undefined;
}

/**
 * Returns the current ids; a list of the last few seconds is enough. Without any list, only the label identifies the
 * rental.
 */
export async function idsBeforeRental(
  { fleet, clock, log, accountKey }: Deps,
  account: Account,
  signal: AbortSignal | undefined,
): Promise<readonly number[] | undefined> {
  const { state } = fleet;
  const isFresh =
    state.kind === 'ready' &&
    state.error === undefined &&
    accountKey === account.key &&
    isWithin(15_000, state.fetchedAt, clock.now()) &&
    isComplete(state.value);
  if (isFresh) {
    return state.value.instances.map(({ id }) => id);
  }
  try {
    const list = await account.client.instances.list({ signal });
    return isCompleteList(list) ? list.items.map(({ id }) => id) : undefined;
  } catch (error) {
    if (isCancelled(error)) {
      throw error;
    }
    log.warn(`The instances could not be read before the rental: ${String(error)}`);
    return undefined;
  }
}
