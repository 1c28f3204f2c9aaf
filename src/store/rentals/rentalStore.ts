import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';
import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Rental } from '../ports';

export interface RentOptions {
  /** Before the request leaves it stops the rental; afterwards only the waiting for news. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the service asks to wait. */
  readonly onWait?: (waitMs: number) => void;
  /** Told when the answer was lost and the instances are being read back. */
  readonly onNotKnown?: (rental: Rental) => void;
  /** Made by `newMarker` and used for this rental alone, for what is noted of it before; otherwise one is made. */
  readonly marker?: string | undefined;
  /** Once the rental is in the journal; where this rejects, nothing is sent. */
  readonly beforeSent?: ((rental: Rental) => Promise<void>) | undefined;
  /** The user said yes to what passes the budget. */
  readonly acceptsOverrun?: boolean;
}

export type RentResult =
  | {
      readonly kind: 'rented';
      readonly rental: Rental;
      readonly instanceId: number;
      /** The service's words beside `success: false`; the instance exists and bills. */
      readonly warning?: string;
    }
  /** The answer was lost and, after a minute, no instance carries our label. */
  | { readonly kind: 'notRented'; readonly rental: Rental }
  /** Still open: the search goes on by itself and its end is told by `onDidSettle`. */
  | { readonly kind: 'notKnown'; readonly rental: Rental };

export type RentalChange = Partial<
  Pick<
    Rental,
    'phase' | 'replacements' | 'replacingSince' | 'replacingWindow' | 'replaceAt' | 'failure' | 'mostPerHour'
  >
>;

/** A replacement whose window closed before its end, and nothing was rented. */
export interface BrokenOff {
  readonly rental: Rental;
  readonly instanceId: number;
  /** Whether the instance that was to be replaced is gone; otherwise it is still there. */
  readonly isDestroyed: boolean;
}

export interface RentalStore extends Disposable {
  /** Of the active account, newest first. */
  readonly rentals: readonly Rental[];
  readonly onDidChange: Event<readonly Rental[]>;
  /** A rental whose sender did not live to see its end was cleared up; heard in one window. */
  readonly onDidSettle: Event<Rental>;
  /** A replacement broke off with its window; heard in one window. */
  readonly onDidBreakOff: Event<BrokenOff>;
  /**
   * Rents once. Rejects with the service's refusal, after which nothing is rented. A lost answer is never an
   * error: the instances are read back (docs/rules.md#a-rental-is-sent-once).
   */
  rent(request: RentRequest, options?: RentOptions): Promise<RentResult>;
  find(instanceId: number): Rental | undefined;
  /** With environment, script and login; undefined where the secret store lost them. */
  fullConfig(rental: Rental): Promise<RentConfig | undefined>;
  /**
   * As it is on disk where another window has decided what became of it, or where it is not known here yet; before
   * something is concluded from it.
   */
  reread(marker: string): Promise<Rental | undefined>;
  /** Changes what is kept about a rental, in all windows. */
  update(marker: string, change: RentalChange): Promise<void>;
}
