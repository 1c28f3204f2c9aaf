import type { Instance } from '../../model/instances/instance';
import { hasBeenReady } from '../../model/instances/instanceState';
import type { Micros } from '../../model/money';
import { beginStartWatch, mayHaveRunUnseen, type StartWatch } from '../../model/rentals/startWatch';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import { agreedBefore } from '../accounts/sameAccount';
import { destroyAndVerify, type DestroyVerdict } from '../instances/destruction';
import type { FleetStore } from '../instances/fleetStore';
import type { Rental } from './rentalStore';

/** An instance that costs more than confirmed, and what happened to it. */
export interface TooDear {
  readonly instanceId: number;
  readonly pricePerHour: Micros;
  readonly mostPerHour: Micros;
  /** `kept`: it may have run before its price was stated, so the user decides. */
  readonly verdict: DestroyVerdict | 'kept';
}

export interface PriceGuardDeps {
  readonly accounts: Accounts;
  readonly fleet: FleetStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Notifies the user, once over all windows and restarts. */
  readonly notify: (found: TooDear) => void;
  /** Stores that the first price was compared with the confirmed one. */
  readonly accept: (rental: Rental) => Promise<void>;
}

/** An offer and its instance may differ by this share due to rounding; more is another price. */
const roundingShare = 0.01;
const roundingMicros = 1000;

/** Returns whether an instance costs more than confirmed; `undefined` if its record states no price. */
function isTooDear({ totalPerHour, isPriceOfRental }: Instance, mostPerHour: Micros): boolean | undefined {
  const slack = Math.max(roundingMicros, mostPerHour * roundingShare);
  return totalPerHour === undefined || isPriceOfRental === true
    ? undefined
    : totalPerHour > mostPerHour + slack;
}

/**
 * Compares the first price in the record of a new instance with the confirmed one and destroys the instance if it is
 * higher: the user agreed to that price alone, and no data is on it yet. If it may have run before, the user decides.
 */
export class PriceGuard {
  private readonly checked = new Set<string>();

  constructor(private readonly deps: PriceGuardDeps) {}

  /**
   * Checks a rental whose instance is in the leading window's list. Only the first price is compared: the user agreed
   * to later increases, for example by raising the bid.
   */
  check(rental: Rental, instance: Instance, watch: StartWatch | undefined): void {
    const { marker, mostPerHour } = rental;
    const isDear = mostPerHour === undefined ? false : isTooDear(instance, mostPerHour);
    if (isDear === undefined || this.checked.has(marker)) {
      return;
    }
    this.checked.add(marker);
    if (mostPerHour !== undefined && instance.totalPerHour !== undefined) {
      const found = { instanceId: instance.id, pricePerHour: instance.totalPerHour, mostPerHour };
      const isEnded = isDear && !this.mayHaveRun(rental, instance, watch);
      const judged = isEnded ? this.end(rental, found) : this.keep(rental, isDear && found);
      judged.catch((error: unknown) => {
        this.deps.log.error(
          `The price of ${instance.id} could not be held against what was confirmed`,
          error,
        );
        if (isEnded) {
          this.deps.notify({ ...found, verdict: 'notConfirmed' });
        }
      });
    }
  }

  /** Returns whether it may hold data. One that is still waited for has only just begun to run, if at all. */
  private mayHaveRun({ phase, requestedAt }: Rental, instance: Instance, watch?: StartWatch): boolean {
    const { clock, fleet } = this.deps;
    const hasRun = phase.kind !== 'waiting' && hasBeenReady(instance, fleet.facts(instance.id));
    const watched = watch ?? beginStartWatch(instance.id, 'rent', requestedAt);
    return hasRun || mayHaveRunUnseen(watched, clock.now());
  }

  private async keep(rental: Rental, found: Omit<TooDear, 'verdict'> | false): Promise<void> {
    if (found) {
      this.deps.notify({ ...found, verdict: 'kept' });
    }
    await this.deps.accept(rental);
  }

  /** If this window closes early, the next leading window checks again. */
  private async end(rental: Rental, found: Omit<TooDear, 'verdict'>): Promise<void> {
    const { accounts, notify } = this.deps;
    const account = accounts.active;
    if (account?.key === rental.accountKey) {
      const { instanceId } = found;
      const verdict = await destroyAndVerify(this.deps, account, instanceId, undefined, agreedBefore);
      notify({ ...found, verdict });
    }
  }
}
