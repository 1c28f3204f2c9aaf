import type { MarketQuery } from '../offers/marketQuery';
import type { Offer } from '../offers/offer';
import type { RentChoices, RentSource } from './rentPlan';

/** A rental as far as it is decided, from where its search begins until it is sent. */
export interface RentDraft {
  /** Whose offers are searched; nothing is rented for another account. */
  readonly accountKey: string;
  /** Of the list of offers: it says what the search is for. */
  readonly title: string;
  readonly query: MarketQuery;
  /** What will run was decided before the search. */
  readonly source?: RentSource;
  readonly choices?: Partial<RentChoices>;
  readonly offer?: Offer;
}

/** A draft whose offer is picked. */
export type PickedDraft = RentDraft & Required<Pick<RentDraft, 'offer'>>;
