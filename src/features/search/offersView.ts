import type { Offer } from '../../model/offers/offer';
import type { Understood, Unread } from '../../model/offers/typedQuery';

/** The state that the list draws. */
export interface OffersView {
  /** Offers on machines that failed before come last. */
  readonly rows: readonly Offer[];
  /** True once an answer was read. */
  readonly loaded: boolean;
  readonly busy: boolean;
  /** When the shown rows were read, ms since 1970. */
  readonly readAt?: number | undefined;
  /** Why the last search failed; the rows are then from the last successful one. */
  readonly error?: unknown;
  /** Whether the service has more rows. */
  readonly more: 'none' | 'fetchable' | 'unreachable';
  /** The number of offers that were read; the rows are those of them that match. */
  readonly read: number;
  /** The number of offers sent that could not be read. */
  readonly skipped: number;
  /**
   * True if the offers were sent for a wider search, or typed words are looked for in them alone, so that the market has
   * other offers that match.
   */
  readonly isPartial: boolean;
  /** True if the offers sent were sorted here, not by the service. */
  readonly orderedHere: boolean;
  /** The filters recognized in the typed line, and the words that are not filters. */
  readonly understood: readonly Understood[];
  readonly words: readonly string[];
  /** Typed comparisons that filter nothing. */
  readonly unread?: readonly Unread[];
  /** When the rate limit lets the waiting search start, ms since 1970. */
  readonly waitsUntil?: number | undefined;
}
