import type { CallOptions } from '../../api/http';
import type { Micros } from '../../model/money';
import type { OfferSearch } from '../../model/offers/filters';
import type { Offer, RentalType } from '../../model/offers/offer';
import type { CarriedEnd } from '../../model/rentals/agreedEnd';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';
import type { FailureReason } from '../../model/rentals/startWatch';
import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Text } from '../../util/text';

/** A rental, from before its request leaves until its machine is ready or given up; survives restarts. */
export interface Rental {
  /** Eight lower-case hexadecimal digits; part of the label as ` [gr-xxxxxxxx]`. */
  readonly marker: string;
  readonly accountKey: string;
  /** The sending window; while it is open, it alone determines the outcome. */
  readonly windowId: string;
  /** When the request left, or is about to; milliseconds since 1970. */
  readonly requestedAt: number;
  /** The confirmation that covered several machines, this one among them. */
  readonly order?: { readonly id: string; readonly wanted: number };
  readonly offer: Offer;
  /** Without secrets: values of environment variables are empty, script and login are left out. */
  readonly config: RentConfig;
  /** The instances before the rental, if known. */
  readonly idsBefore?: readonly number[];
  /** When its instance was proved to be gone. */
  readonly goneAt?: number | undefined;
  /** True once its entries in the secret store are removed. */
  readonly isTidied?: boolean;
  /** The number of replacements that were started. */
  readonly replacements?: number;
  /** When the current replacement began; milliseconds since 1970. */
  readonly replacingSince?: number | undefined;
  /** The window that replaces it. */
  readonly replacingWindow?: string | undefined;
  /** When the user lets it be replaced without asking; milliseconds since 1970. */
  readonly replaceAt?: number | undefined;
  /** The reason of the failure without host-specific parts; kept after the replacement. */
  readonly failure?: string;
  /** The marker of the rental that it replaces. */
  readonly replaces?: string;
  /** The real path of the workspace that it was rented for. */
  readonly workspace?: string;
  /** The name of the machine in the file of that workspace, if it is not the machine of the file itself. */
  readonly machine?: string;
  /** When its instance ends by itself; absent in records of older versions. */
  readonly end?: CarriedEnd;
  /** The state of the instance for which its end was last arranged. */
  readonly endSetFor?: 'running' | 'stopped';
  /** The token between which its machine prints its host keys into its log. */
  readonly startToken?: string;
  /** When its machine last showed nothing unsaved, right before an editor sent its stop; milliseconds since 1970. */
  readonly savedAt?: number | undefined;
  readonly search?: OfferSearch;
  readonly rentalType: RentalType;
  /** The most that a replacement may cost per hour. */
  readonly priceLimit: Micros;
  /**
   * The most that its own instance may cost per hour: the confirmed price, or the limit of a replacement. Removed
   * once the first price of the instance was compared with it.
   */
  readonly mostPerHour?: Micros | undefined;
  readonly phase:
    | { readonly kind: 'sent' }
    | { readonly kind: 'notKnown'; readonly since: number }
    | { readonly kind: 'notRented'; readonly at: number; readonly reason: Text }
    | { readonly kind: 'waiting'; readonly instanceId: number; readonly since: number }
    | { readonly kind: 'ready'; readonly instanceId: number; readonly at: number }
    | {
        readonly kind: 'failed';
        readonly instanceId: number;
        readonly at: number;
        readonly reason: FailureReason;
        /** Absent in records of older versions, which then may have had data. */
        readonly hadData?: boolean;
        /** The host's last status message. */
        readonly message?: string;
      }
    | { readonly kind: 'ended'; readonly instanceId?: number };
}

export interface RentOptions extends Pick<CallOptions, 'isStillWanted'> {
  /** Before the request leaves, it cancels the rental; afterwards only the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the service asks to wait. */
  readonly onWait?: (waitMs: number) => void;
  /** Called when the answer was lost and the instances are being read back. */
  readonly onNotKnown?: (rental: Rental) => void;
  /**
   * A marker from `newMarker` that is used for this rental alone, for notes made before it; otherwise one is created.
   */
  readonly marker?: string | undefined;
  /** Called once the rental is in the journal; if it rejects, nothing is sent. */
  readonly beforeSent?: ((rental: Rental) => Promise<void>) | undefined;
  /** The confirmation that covers this machine and others; its caller ends it by `orders.end`. */
  readonly order?: Rental['order'] | undefined;
  /** True if the user agreed to exceed the budget. */
  readonly acceptsOverrun?: boolean;
  /** When the user confirmed it (ms since 1970); it is not sent long after that. Absent if no person was asked. */
  readonly agreedAt?: number | undefined;
}

export type RentResult =
  | {
      readonly kind: 'rented';
      readonly rental: Rental;
      readonly instanceId: number;
      /** The service's message beside `success: false`; the instance exists and costs money. */
      readonly warning?: string;
    }
  /** The answer was lost and, after a minute, no instance carries our label. */
  | { readonly kind: 'notRented'; readonly rental: Rental }
  /** Still open: the search continues, and `onDidSettle` reports its end. */
  | { readonly kind: 'notKnown'; readonly rental: Rental };

export type RentalChange = Partial<
  Pick<
    Rental,
    | 'config'
    | 'endSetFor'
    | 'savedAt'
    | 'phase'
    | 'replacements'
    | 'replacingSince'
    | 'replacingWindow'
    | 'replaceAt'
    | 'failure'
    | 'mostPerHour'
  >
>;

/** A replacement whose window closed early, without a new rental. */
export interface BrokenOff {
  readonly rental: Rental;
  readonly instanceId: number;
  /** True if the old instance is gone; otherwise it still exists. */
  readonly isDestroyed: boolean;
}

/** An order of several machines whose window closed early. */
export interface UnfinishedOrder {
  /** Its machines, fewer than wanted. */
  readonly rentals: readonly Rental[];
  readonly wanted: number;
}

/** Confirmations that cover several machines. */
export interface Orders {
  /** Fires in one window when the window of an order closed before it had asked for all machines. */
  readonly onDidFindUnfinished: Event<UnfinishedOrder>;
  /** Notes that the window of an order reports its outcome itself. Never rejects. */
  end(id: string): Promise<void>;
}

export interface RentalStore extends Disposable {
  /** Rentals of the active account, newest first. */
  readonly rentals: readonly Rental[];
  readonly onDidChange: Event<readonly Rental[]>;
  /** The paths of damaged files, each of which held a rental, by its marker; they are kept. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Fires in one window when a rental of a closed window was settled. */
  readonly onDidSettle: Event<Rental>;
  /** Fires in one window when a replacement ended because its window closed. */
  readonly onDidBreakOff: Event<BrokenOff>;
  readonly orders: Orders;
  /**
   * Rents once. Rejects if the service refused, which means that nothing is rented. A lost answer is never an error:
   * the instances are read back (docs/rules.md#a-rental-is-sent-once).
   */
  rent(request: RentRequest, options?: RentOptions): Promise<RentResult>;
  find(instanceId: number): Rental | undefined;
  /** Returns the configuration with environment, script and login; undefined if the secret store lost them. */
  fullConfig(rental: Rental): Promise<RentConfig | undefined>;
  /**
   * Reads the rental from disk if another window decided its outcome or it is unknown here; call this before drawing
   * conclusions.
   */
  reread(marker: string): Promise<Rental | undefined>;
  /**
   * Changes the record of a rental in all windows. A change that depends on the record is a function of the one on
   * disk, which may return nothing.
   */
  update(
    marker: string,
    change: RentalChange | ((stored: Rental) => RentalChange | undefined),
  ): Promise<void>;
}
