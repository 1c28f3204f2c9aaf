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
import { wait, type Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { Account } from '../accounts/accounts';
import type { FleetSnapshot } from '../instances/fleetStore';
import { isComplete, isCompleteList } from '../instances/listed';
import type { Rental } from './rentalStore';

/** When the instances are read back after a lost answer, in milliseconds after it. */
const readBackAtMs = [0, 2000, 5000, 10_000, 20_000, 30_000, 45_000, 60_000];
export const readBackForMs = 60_000;

interface ReadBackDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the search early. */
  readonly signal: AbortSignal;
  /** Instances that belong to other rentals. */
  readonly taken: () => ReadonlySet<number>;
}

/** Stores what was found; if that fails, the instances are read again. */
export interface ReadBackOutcome<T> {
  readonly found: (instanceId: number) => Promise<T>;
  /** Called when complete lists, including one at the end of the time, lacked the instance. */
  readonly none: () => Promise<T>;
}

/**
 * Searches for the instance of a rental whose answer was lost, at once and over the next minute. Returns `undefined`
 * without a result; never rejects.
 */
export async function readBack<T>(
  account: Account,
  rental: Rental,
  outcome: ReadBackOutcome<T>,
  { clock, log, signal, taken }: ReadBackDeps,
): Promise<T | undefined> {
  let wholeLists = 0;
  for (const [index, atMs] of readBackAtMs.entries()) {
    try {
      // Counts waiting time only: a computer that sleeps or whose clock is set has not waited.
      await wait(clock, atMs - (readBackAtMs[index - 1] ?? 0), signal);
      const list = await account.client.instances.list({ signal });
      const finding = findRented(lostRentalOf(rental), list.items, taken());
      // A record that is still being filled may get its label later; a match by id alone counts from the third read on.
      if (finding.kind === 'found' && (finding.by === 'label' || index > 1)) {
        return await outcome.found(finding.instanceId);
      }
      wholeLists += finding.kind === 'none' && isCompleteList(list) ? 1 : 0;
      const isLast = atMs >= readBackForMs && finding.kind === 'none' && isCompleteList(list);
      if (isLast && wholeLists > 1) {
        return await outcome.none();
      }
    } catch (error) {
      if (isCancelled(error)) {
        break;
      }
      log.warn(`The instances could not be read back: ${String(error)}`);
    }
  }
  return undefined;
}

/** Returns the features by which an instance is recognized. */
function lostRentalOf({ marker, requestedAt, idsBefore, offer }: Rental) {
  return { marker, requestedAt, idsBefore, machineId: offer.machineId };
}

/** A rental that was given up is still recognized when it appears this late (ms). */
const lateMs = 24 * 3_600_000;

/** What a new list shows about a rental. */
export type ListVerdict =
  | { readonly kind: 'nothing' }
  /** The rental became this instance. */
  | { readonly kind: 'found'; readonly instanceId: number }
  /** The sending window is gone; the outcome is still open. */
  | { readonly kind: 'open' }
  /** The search took long enough to conclude that nothing was rented. */
  | { readonly kind: 'notRented' }
  /** Its instance is gone. */
  | { readonly kind: 'gone'; readonly instanceId: number }
  /** Its instance counted as gone, and is listed again. */
  | { readonly kind: 'back' };

interface VerdictFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** True while the sending window is still working on it. */
  readonly isOwnerAtWork: boolean;
  /** Returns the milliseconds over which complete lists lacked it, including this one. */
  readonly missedForMs: () => number;
  /** Returns whether readings agree that an instance is gone. */
  readonly hasEnded: (instanceId: number) => boolean;
  /** Instances that belong to other rentals. */
  readonly taken: () => ReadonlySet<number>;
}

/** Judges the outcome of a rental by the list alone, for a rental whose window closed early. */
export function listVerdict(rental: Rental, snapshot: FleetSnapshot, facts: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const isOpen = phase.kind === 'sent' || phase.kind === 'notKnown';
  const isLate = phase.kind === 'notRented' && facts.now - rental.requestedAt < lateMs;
  return (isOpen && !facts.isOwnerAtWork) || isLate
    ? outcome(rental, snapshot, facts)
    : presence(rental, snapshot, facts);
}

function outcome(rental: Rental, snapshot: FleetSnapshot, { missedForMs, taken }: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const finding = findRented(lostRentalOf(rental), snapshot.instances, taken());
  if (finding.kind === 'found' && (finding.by === 'label' || phase.kind === 'notKnown')) {
    return { kind: 'found', instanceId: finding.instanceId };
  }
  if (phase.kind === 'sent') {
    return { kind: 'open' };
  }
  const isGivenUp =
    phase.kind === 'notKnown' &&
    finding.kind === 'none' &&
    isComplete(snapshot) &&
    missedForMs() >= readBackForMs;
  return { kind: isGivenUp ? 'notRented' : 'nothing' };
}

function presence(rental: Rental, snapshot: FleetSnapshot, { hasEnded }: VerdictFacts): ListVerdict {
  const { phase } = rental;
  const isSettled = phase.kind === 'ready' || phase.kind === 'failed' || phase.kind === 'ended';
  const instanceId = isSettled ? phase.instanceId : undefined;
  if (instanceId === undefined) {
    return { kind: 'nothing' };
  }
  if (snapshot.instances.some(({ id }) => id === instanceId)) {
    return rental.goneAt === undefined ? { kind: 'nothing' } : { kind: 'back' };
  }
  return rental.goneAt === undefined && hasEnded(instanceId)
    ? { kind: 'gone', instanceId }
    : { kind: 'nothing' };
}

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

function provesOfferGone(error: GoneError | NotFoundError): boolean {
  const isBare = error.code === undefined && error.serviceText === undefined;
  return offerCodes.includes(error.code) || (isBare && error instanceof GoneError);
}

/**
 * Returns whether a rental was refused because its offer is gone, the only refusal after which another
 * offer has a chance. A refusal that does not name what is gone may be about the template, the account
 * or the call, so the market decides. If that does not answer, the refusal is reported unchanged.
 */
export async function isOfferGone(error: unknown, isListed: () => Promise<boolean>): Promise<boolean> {
  if (!(error instanceof GoneError || error instanceof NotFoundError)) {
    return false;
  }
  return provesOfferGone(error) || !(await isListed().catch(() => true));
}

export function refusalText(error: unknown): string {
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
