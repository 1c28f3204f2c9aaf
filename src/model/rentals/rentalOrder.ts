import type { Text } from '../../util/text';
import type { Micros } from '../money';
import type { Offer } from '../offers/offer';
import type { Rate } from '../quote';

/** A line of a confirmation. */
export interface OrderFact {
  readonly id: string;
  readonly label: Text;
  readonly value: Text | string;
}

/** The confirmed machine; each of several is like it. */
export interface OrderedMachine {
  readonly name: string;
  readonly perHour: Micros | undefined;
  readonly gpuCount: number | undefined;
}

/**
 * What machines are rented for. The owner of the order supplies the texts, and notes each rental before it is sent.
 */
export interface RentalOrder {
  readonly name: string;
  /** The heading of its facts. */
  readonly heading: Text;
  /** Returns the facts of the confirmation; or why it can't run on a machine of this price. */
  facts(
    rate: Rate | undefined,
    /** The most that another machine may cost per hour, by the search. */
    limitPerHour: Micros | undefined,
    offer: Offer,
  ): readonly OrderFact[] | { readonly objection: Text };
  /** Returns what the button is called that rents for it; by default, that it runs. */
  rentLabel?(rent: string): Text;
  /**
   * Returns after how many seconds a machine of this price stops itself if nothing began on it; nothing if it only has the
   * end of any rental.
   */
  guardSeconds(perHour: Micros | undefined): number | undefined;
  begin(machine: OrderedMachine, machines: number): OrderedRentals;
}

/** The rentals of one confirmation, one for each machine (`copy`, counted from 0). */
export interface OrderedRentals {
  /** Returns the marker that the rental of a machine must have. */
  markerOf(copy: number): string;
  /** Returns why a machine is no longer wanted. Never rejects. */
  whyNotWanted(copy: number): Promise<string | undefined>;
  /** Called once a rental is in the journal of a window; if it rejects, nothing is sent. */
  beforeSent(copy: number, windowId: string): Promise<void>;
  /** Notes the answer. */
  sent(copy: number, result: 'rented' | 'notRented' | 'notKnown'): Promise<void>;
  /** Called after the last one. Never rejects: the machines are there anyway. */
  settle(): Promise<void>;
}
