import type { Offer } from '../../model/offers/offer';
import type { Understood } from '../../model/offers/typedQuery';

/** What the list shows. */
export interface OffersView {
  /** Those on machines that failed before come last. */
  readonly rows: readonly Offer[];
  /** An answer was read at least once. */
  readonly loaded: boolean;
  readonly busy: boolean;
  /** When the shown rows were read, ms since 1970. */
  readonly readAt?: number | undefined;
  /** Why the last search failed; the rows are the last good ones. */
  readonly error?: unknown;
  /** The service has more rows than these. */
  readonly more: 'none' | 'fetchable' | 'unreachable';
  /** How many offers were sent, of which the rows are those that match. */
  readonly read: number;
  /** They were sent for a wider search, and the market has others that match this one. */
  readonly isPartial: boolean;
  /** The order was made here, over the rows that were sent. */
  readonly orderedHere: boolean;
  /** What the typed line was read as, and the words of it that are no filters. */
  readonly understood: readonly Understood[];
  readonly words: readonly string[];
  /** A search waits for the service's rate limit until then. */
  readonly waitsUntil?: number | undefined;
}
