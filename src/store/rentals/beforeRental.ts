import { NotSentError } from '../../api/errors';
import { defaultPolicy } from '../../api/policy';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';
import type { Clock } from '../../util/clock';
import { defined } from '../../util/defined';
import { isWithin } from '../../util/duration';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Account, Accounts } from '../accounts/accounts';
import { accountStill } from '../accounts/sameAccount';
import { newOwnId } from '../disk/rowFolder';
import type { Fleet } from '../instances/fleetStore';
import { isComplete, isCompleteList } from '../instances/listed';
import { withoutSecretParts } from './rentalJournal';
import type { Rental } from './rentalStore';

/** Thrown before anything is sent: the user confirmed it too long ago. */
export class AgreementTooOldError extends NotSentError {
  constructor() {
    super(text('The rental could not be sent within 10 minutes.'));
  }
}

/**
 * Returns the check right before a rental is sent, which throws if it may not be: the computer may have slept since the
 * user confirmed it at `agreedAt`, or another account may be active.
 */
export function stillAgreed(
  { accounts, clock }: { readonly accounts: Pick<Accounts, 'active'>; readonly clock: Pick<Clock, 'now'> },
  accountKey: string,
  agreedAt: number,
): () => Promise<boolean> {
  return () => {
    accountStill(accounts, accountKey);
    if (!isWithin(defaultPolicy.writeWaitMs, agreedAt, clock.now())) {
      throw new AgreementTooOldError();
    }
    return Promise.resolve(true);
  };
}

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

/** Returns a new marker, which identifies a rental in the label of its instance. */
export function newMarker(): string {
  return newOwnId();
}

/** Returns the record of a rental before it is sent; `config` is what will be sent, with the marker. */
export function newRental(
  request: RentRequest,
  config: RentConfig,
  facts: Pick<Rental, 'marker' | 'accountKey' | 'windowId' | 'requestedAt'> & {
    readonly idsBefore: Rental['idsBefore'] | undefined;
    readonly order: Rental['order'] | undefined;
    readonly startToken: string | undefined;
  },
): Rental {
  return defined<Rental>({
    ...facts,
    offer: request.offer,
    config: withoutSecretParts(config),
    search: request.search,
    replaces: request.replaces,
    workspace: request.workspace,
    machine: request.machine,
    end: request.end,
    rentalType: request.rentalType,
    priceLimit: request.priceLimit,
    mostPerHour: request.mostPerHour,
    phase: { kind: 'sent' },
  });
}
