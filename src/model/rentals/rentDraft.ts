import type { MarketQuery } from '../offers/marketQuery';
import type { Offer } from '../offers/offer';
import type { RentChoices } from './rentPlan';

/** A rental as far as it is decided, from where its search begins until it is sent. */
export interface RentDraft {
  /** Whose offers are searched, the active account without it; nothing is rented for another one. */
  readonly accountKey?: string;
  /** Of the list of offers: it says what the search is for. */
  readonly title: string;
  readonly query: MarketQuery;
  /** With a source, what will run was decided before the search, and is not asked for again. */
  readonly choices?: Partial<RentChoices>;
  readonly offer?: Offer;
}

/** A draft whose offer is picked. */
export interface PickedDraft extends RentDraft {
  readonly offer: Offer;
}

/** Everything is decided, and open only to the confirmation. */
export interface CompleteDraft extends PickedDraft {
  readonly choices: RentChoices;
}
