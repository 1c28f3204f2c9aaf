import { defined } from '../../util/defined';
import type { DraftJob } from '../jobs/rentForJob';
import { guardSecondsOf } from '../jobs/jobLimits';
import { fromDollars, zero, type Micros } from '../money';
import { narrowed } from '../fit/rentalFit';
import type { OfferSearch } from '../offers/filters';
import { toOfferSearch, type MarketQuery } from '../offers/marketQuery';
import type { Offer, RentalType } from '../offers/offer';
import type { Filters } from '../offers/searchFields';
import { perHour, type Rate } from '../quote';
import type { RentConfig } from './rent';
import { effectiveRuntype, lacksShell, planRent, plannedDiskGb, type RentChoices } from './rentPlan';

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
  /** What the machine is rented for. */
  readonly job?: DraftJob;
}

/** A draft whose offer is picked. */
export interface PickedDraft extends RentDraft {
  readonly offer: Offer;
}

/** Everything is decided, and open only to the confirmation. */
export interface CompleteDraft extends PickedDraft {
  readonly choices: RentChoices;
}

/** The search again with more filters. What was chosen stays, but a bid and a volume belong to one machine. */
export function narrowedDraft(
  { accountKey, title, query, choices, job }: CompleteDraft,
  filters: Filters,
): RentDraft {
  const kept = Object.entries(choices).filter(([key]) => !ofOneMachine.includes(key));
  return {
    ...(accountKey === undefined ? {} : { accountKey }),
    title,
    ...(job && { job }),
    query: { ...query, filters: narrowed(query.filters, filters) },
    choices: Object.fromEntries(kept),
  };
}
const ofOneMachine: readonly string[] = ['bidPerHour', 'volume', 'volumePerGbMonth'];

/** What the user confirmed. The label is without our marker. */
export interface RentRequest {
  /** Whose offers, credit and templates the user saw; nothing is rented for another account. */
  readonly accountKey?: string;
  /** The marker of the rental that this one takes the place of. */
  readonly replaces?: string;
  readonly offer: Offer;
  readonly config: RentConfig;
  readonly search?: OfferSearch | undefined;
  readonly rentalType: RentalType;
  /** A replacement never costs more than this an hour; without a limit of the user's, the price just confirmed. */
  readonly priceLimit: Micros;
  /** An instance that turns out to cost more an hour is ended. */
  readonly mostPerHour?: Micros;
}

/** The query of a rental: the prices include the disk that will be rented. */
export function rentalQuery({ query, choices }: Pick<CompleteDraft, 'query' | 'choices'>): MarketQuery {
  return { ...query, diskGb: plannedDiskGb(choices) };
}

/** The script of the template is named as well, because ours comes before it (docs/service/renting.md#template-merge). */
function guarded(
  { order: { spec } }: DraftJob,
  choices: RentChoices,
  rentalType: RentalType,
  confirmed: Rate | undefined,
): RentConfig {
  const config = planRent(choices, rentalType);
  if (lacksShell(effectiveRuntype(choices))) {
    return config;
  }
  const { source } = choices;
  return defined<RentConfig>({
    ...config,
    onstart: config.onstart ?? (source.kind === 'template' ? source.template.onstart : undefined),
    guardSeconds: guardSecondsOf(spec, confirmed && perHour(confirmed)),
  });
}

/** The request for a draft, of which `confirmed` is what one machine costs without volumes. */
export function requestOf(draft: CompleteDraft, confirmed: Rate | undefined): RentRequest {
  const { accountKey, offer, query, choices, job } = draft;
  const { rentalType, filters } = query;
  const limit = filters.pricePerHour?.max;
  const priceConfirmed = confirmed === undefined ? zero : perHour(confirmed);
  return defined<RentRequest>({
    accountKey,
    offer,
    config: job ? guarded(job, choices, rentalType, confirmed) : planRent(choices, rentalType),
    search: toOfferSearch(rentalQuery(draft)),
    rentalType,
    priceLimit: limit === undefined ? priceConfirmed : fromDollars(limit),
    mostPerHour: confirmed === undefined ? undefined : priceConfirmed,
  });
}
