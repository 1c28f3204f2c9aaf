import {
  ApiError,
  GoneError,
  NotFoundError,
  NotReachableError,
  NotSentError,
  RentOutcomeUnknownError,
} from '../../api/errors';
import { findRented } from '../../model/rentals/findRented';
import { NotSignedInError } from '../../shared/notSignedIn';
import { isCancelled } from '../../util/errors';
import { isCompleteList } from '../instances/listed';
import type { Account } from '../accounts/accounts';
import type { Rental } from './rentalStore';
import { lostRentalOf, type ReadBackDeps } from './readBack';

/**
 * Returns whether nothing was rented, because the service refused or nothing was sent; any other error may have
 * rented.
 */
export function isRefusal(error: unknown): boolean {
  return (
    isCancelled(error) ||
    error instanceof NotSignedInError ||
    (error instanceof ApiError && !(error instanceof RentOutcomeUnknownError))
  );
}

/** Returns whether the service itself refused. */
export function isAnswer(error: unknown): boolean {
  return (
    error instanceof ApiError && !(error instanceof NotSentError) && !(error instanceof NotReachableError)
  );
}

const offerCodes: readonly unknown[] = ['no_such_ask', 'resources_unavailable'];

function saysThatOfferIsGone(error: GoneError | NotFoundError): boolean {
  const isBare = error.code === undefined && error.serviceText === undefined;
  return offerCodes.includes(error.code) || (isBare && error instanceof GoneError);
}

/**
 * Returns whether a rental was refused because its offer is gone, the only refusal after which another offer has a
 * chance. A refusal that does not name what is gone may be about the template, the account or the call, so the market
 * decides. Where that does not answer, the refusal stands as it was said.
 */
export async function isOfferGone(error: unknown, isListed: () => Promise<boolean>): Promise<boolean> {
  if (!(error instanceof GoneError || error instanceof NotFoundError)) {
    return false;
  }
  return saysThatOfferIsGone(error) || !(await isListed().catch(() => true));
}

export function refusalWords(error: unknown): string {
  return error instanceof ApiError ? (error.serviceText ?? '') : '';
}

/** Compares the list once with the marker of a refused rental, since some refusals are wrong; never rejects. */
export async function compareOnce(
  account: Account,
  rental: Rental,
  { log, signal, taken }: Omit<ReadBackDeps, 'clock'>,
): Promise<number | 'none' | 'notKnown'> {
  try {
    const list = await account.client.instances.list({ signal });
    const finding = findRented(lostRentalOf(rental), list.items, taken());
    if (finding.kind === 'found' && finding.by === 'label') {
      return finding.instanceId;
    }
    return isCompleteList(list) ? 'none' : 'notKnown';
  } catch (error) {
    log.warn(`The instances could not be compared with a refused rental: ${String(error)}`);
    return 'notKnown';
  }
}
