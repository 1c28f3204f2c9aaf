import { defined } from '../../util/defined';
import { narrowed } from '../fit/rentalFit';
import { fromDollars, zero, type Micros } from '../money';
import type { OfferSearch } from '../offers/filters';
import { toOfferSearch, type MarketQuery } from '../offers/marketQuery';
import type { Offer, RentalType } from '../offers/offer';
import type { Filters } from '../offers/searchFields';
import { perHour, type Rate } from '../quote';
import { noEnd, type AgreedEnd, type CarriedEnd } from './agreedEnd';
import type { RentConfig, VolumeChoice } from './rent';
import { effectiveRuntype, lacksShell, planRent, plannedDiskGb, type RentChoices } from './rentPlan';
import type { RentalOrder } from './rentalOrder';

/** A rental as far as it is decided, from the start of its search until it is sent. */
export interface RentDraft {
  /** The account whose offers are searched; by default the active one. Nothing is rented for another account. */
  readonly accountKey?: string;
  /** The title of the list of offers, which names the purpose of the search. */
  readonly title: string;
  readonly query: MarketQuery;
  /** With a source, the choice of what to run precedes the search and is not asked for again. */
  readonly choices?: Partial<RentChoices>;
  readonly offer?: Offer;
  /** The answers with which the user left the steps for the list. The steps of the next offer begin with them. */
  readonly left?: { readonly offerId: number; readonly choices: RentChoices };
  /** What the machine is rented for, if not for the user's own work. */
  readonly order?: RentalOrder;
  /** The workspace whose file describes the machine. */
  readonly workspace?: DraftWorkspace;
}

/** Offers as the list has them, and the rental that they are for. */
export interface ListedOffers {
  readonly draft: RentDraft;
  readonly offers: readonly Offer[];
  /** When they were read, ms since 1970; undefined while they have not been. */
  readonly readAt: number | undefined;
}

export interface DraftWorkspace {
  /** The real path of its folder. */
  readonly folder: string;
  /** The name of the machine in its file, if it is not the machine of the file itself. */
  readonly machine?: string | undefined;
  /** The on-start script of its file. */
  readonly onStart?: string | undefined;
  /** The end that its file asks for, which counts where it is earlier. */
  readonly end?: Partial<AgreedEnd> | undefined;
  /** The most that its file lets the user bid per hour. */
  readonly maxBid?: Micros | undefined;
  /** The volumes of the account that its file names, of which the machine gets the one that is on it. */
  readonly volumes?: readonly VolumeChoice[] | undefined;
  /** The volume that the user wants to create where none of these is. */
  readonly newVolume?:
    { readonly name: string; readonly sizeGb: number; readonly mountPath: string } | undefined;
}

/** A draft with a picked offer. */
export interface PickedDraft extends RentDraft {
  readonly offer: Offer;
}

/** A draft with all decisions made, which only the confirmation can change. */
export interface CompleteDraft extends PickedDraft {
  readonly choices: RentChoices;
}

/** The user returns to the list, which is `outdated` if an offer is gone, or `narrowed` to what fits the choices. */
export interface BackToList {
  readonly kind: 'back' | 'outdated' | 'narrowed';
  /** Keeps the choices. */
  readonly draft: RentDraft;
}

/** Returns the search with more filters. Choices stay, except a bid, which belongs to one offer. */
export function narrowedDraft(
  { accountKey, title, query, choices, order, workspace }: CompleteDraft,
  filters: Filters,
): RentDraft {
  const kept = Object.entries(choices).filter(([key]) => key !== 'bidPerHour');
  return {
    ...(accountKey === undefined ? {} : { accountKey }),
    title,
    ...(order && { order }),
    ...(workspace && { workspace }),
    query: { ...query, filters: narrowed(query.filters, filters) },
    choices: Object.fromEntries(kept),
  };
}

/** Returns the draft of the list to which the user returns from the steps, whose answers stay. */
export function returnDraft(list: RentDraft, { offer, choices }: CompleteDraft): RentDraft {
  return { ...list, left: { offerId: offer.id, choices } };
}

/** What the user confirmed. The label does not contain our marker. */
export interface RentRequest {
  /** The account whose offers, credit and templates the user saw; nothing is rented for another one. */
  readonly accountKey?: string;
  /** The marker of the rental that this one replaces. */
  readonly replaces?: string;
  readonly offer: Offer;
  readonly config: RentConfig;
  readonly search?: OfferSearch | undefined;
  readonly rentalType: RentalType;
  /** The most that a replacement may cost per hour; without a limit of the user's, the confirmed price. */
  readonly priceLimit: Micros;
  /** An instance that costs more than this per hour is destroyed. */
  readonly mostPerHour?: Micros;
  /** The real path of the workspace that it is rented for. */
  readonly workspace?: string;
  /** The name of the machine in the file of the workspace. */
  readonly machine?: string;
  /** When the machine ends by itself. */
  readonly end?: CarriedEnd | undefined;
  /** Not kept: the script of the template, unless its run type has no shell. */
  readonly templateScript?: string | undefined;
}

/** Returns the query of a rental, whose prices include the disk that will be rented. */
export function rentalQuery({ query, choices }: Pick<CompleteDraft, 'query' | 'choices'>): MarketQuery {
  return { ...query, diskGb: plannedDiskGb(choices) };
}

/** Returns the price limit of a search per hour, up to which a machine may be replaced. */
export function searchLimit({ filters }: MarketQuery): Micros | undefined {
  const most = filters.pricePerHour?.max;
  return most === undefined ? undefined : fromDollars(most);
}

/** Returns the script of the template before which lines of ours may stand; `undefined` if it is not known. */
export function templateScript(choices: RentChoices): string | undefined {
  const { source } = choices;
  return source.kind === 'template' && !lacksShell(effectiveRuntype(choices))
    ? source.template.onstart
    : undefined;
}

/** What the request of a draft is made of. */
export type DraftToSend = Omit<CompleteDraft, 'title' | 'order'> & {
  readonly order?: Pick<RentalOrder, 'guardSeconds'>;
};

/** Returns the request for a draft; `confirmed` is the price of one machine without volumes. */
export function requestOf(draft: DraftToSend, confirmed: Rate | undefined): RentRequest {
  const { accountKey, offer, query, choices, order, workspace } = draft;
  const { rentalType } = query;
  const priceConfirmed = confirmed === undefined ? zero : perHour(confirmed);
  const config = planRent(choices, rentalType);
  const script = templateScript(choices);
  const jobSeconds = lacksShell(effectiveRuntype(choices))
    ? undefined
    : order?.guardSeconds(confirmed && priceConfirmed);
  // The guard of a job comes before the template's script (docs/service/renting.md#template-merge).
  const onstart = config.onstart ?? (jobSeconds === undefined ? undefined : script);
  return defined<RentRequest>({
    accountKey,
    offer,
    config: defined<RentConfig>({ ...config, onstart }),
    search: toOfferSearch(rentalQuery(draft)),
    rentalType,
    priceLimit: searchLimit(query) ?? priceConfirmed,
    mostPerHour: confirmed === undefined ? undefined : priceConfirmed,
    workspace: workspace?.folder,
    machine: workspace?.machine,
    templateScript: script,
    end: jobSeconds === undefined ? choices.end : { ...(choices.end ?? noEnd), jobSeconds },
  });
}
