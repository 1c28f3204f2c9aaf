import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Fleet, FleetSnapshot } from '../ports';
import type { RecentRentals } from './recentRentals';

/** The fleet with what only other stores need. */
export interface FleetStore extends Fleet, Disposable {
  /** Fires after each list that this window read itself, before the other windows receive it. */
  readonly onDidPoll: Event<FleetSnapshot>;
  /** Sets the recent rentals, which may be missing from the list at first. */
  setRented(rented: RecentRentals): void;
}
