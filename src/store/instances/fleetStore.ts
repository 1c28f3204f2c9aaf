import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Fleet, FleetSnapshot } from '../ports';
import type { RecentRentals } from './recentRentals';

/** What the other stores need beside the port. */
export interface FleetStore extends Fleet, Disposable {
  /** After each list that this window read itself, before the others hear of it. */
  readonly onDidPoll: Event<FleetSnapshot>;
  /** Follows what was rented a moment ago, which the list may have late. */
  setRented(rented: RecentRentals): void;
}
