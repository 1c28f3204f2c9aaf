import { findRented } from '../../model/rentals/findRented';
import { wait, type Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { isCompleteList } from '../instances/listed';
import type { Account } from '../accounts/accounts';
import type { Rental } from './rentalStore';

/** When the instances are read back after a lost answer, in milliseconds after it. */
const readBackAtMs = [0, 2000, 5000, 10_000, 20_000, 30_000, 45_000, 60_000];
export const readBackForMs = 60_000;

export interface ReadBackDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the search early. */
  readonly signal: AbortSignal;
  /** Instances that belong to other rentals. */
  readonly taken: () => ReadonlySet<number>;
}

/** Stores what was found; if that fails, the instances are read once more. */
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
export function lostRentalOf({ marker, requestedAt, idsBefore, offer }: Rental) {
  return { marker, requestedAt, idsBefore, machineId: offer.machineId };
}
