import type { Client } from '../../api/client';
import { rentalFit, type Misfit } from '../../model/fit/rentalFit';
import type { Micros } from '../../model/money';
import { sorted } from '../../model/offers/localFilter';
import { toOfferSearch, type MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { fitting } from '../../model/offers/offerMatch';
import { perHour, quoteOffer, type Rate } from '../../model/quote';
import { rentalQuery, type CompleteDraft } from '../../model/rentals/rentDraft';
import type { RentChoices } from '../../model/rentals/rentPlan';

/** What happened to an offer between its confirmation and the click. */
export type Recheck =
  | { readonly kind: 'asConfirmed'; readonly offer: Offer }
  | { readonly kind: 'dearer'; readonly offer: Offer; readonly before: Micros; readonly after: Micros }
  /** Interruptible: the minimum is now above the bid. */
  | { readonly kind: 'bidTooLow'; readonly offer: Offer; readonly bid: Micros; readonly least: Micros }
  /**
   * A price was confirmed and the service states none any more, or the other way round; or the disk or the traffic costs
   * more than was shown.
   */
  | { readonly kind: 'repriced'; readonly offer: Offer }
  | { readonly kind: 'gone'; readonly next?: Offer };

export interface RecheckInput extends Pick<CompleteDraft, 'offer' | 'query' | 'choices'> {
  /** The confirmed price of one machine. */
  readonly confirmed: Rate | undefined;
}

/** Reads the offer again with the disk that will be rented; returns the next best one if it is gone. */
export async function recheckOffer(
  search: Client['offers']['search'],
  input: RecheckInput,
  signal?: AbortSignal,
): Promise<Recheck> {
  const { offer } = input;
  const query = rentalQuery(input);
  const options = { signal };
  const wide = toOfferSearch(query);
  const own = await search({ ...wide, filters: { id: { eq: offer.id } } }, options);
  const found = own.items.find((one) => one.id === offer.id && one.rentable !== false);
  if (!found) {
    const all = await search(wide, options);
    const again = all.items.find((one) => one.id === offer.id && one.rentable !== false);
    if (!again) {
      return gone(all.items, query, offer.id);
    }
    return compareAgain(again, query, input);
  }
  return compareAgain(found, query, input);
}

/** Returns whether the service still lists an offer. */
export async function isListed(search: Client['offers']['search'], input: RecheckInput): Promise<boolean> {
  return (await recheckOffer(search, input)).kind !== 'gone';
}

/** Returns the next best offer after the service refused this one as taken, even if it is still listed. */
export async function nextOffer(
  search: Client['offers']['search'],
  input: Omit<RecheckInput, 'confirmed'>,
): Promise<Offer | undefined> {
  const query = rentalQuery(input);
  const { items } = await search(toOfferSearch(query));
  return bestBut(items, query, input.offer.id);
}

function gone(offers: readonly Offer[], query: MarketQuery, id: number): Recheck {
  const next = bestBut(offers, query, id);
  return next ? { kind: 'gone', next } : { kind: 'gone' };
}

function bestBut(offers: readonly Offer[], query: MarketQuery, id: number): Offer | undefined {
  return sorted(fitting(offers, query), query).find((one) => one.id !== id && one.rentable !== false);
}

function compare(offer: Offer, query: MarketQuery, { choices, confirmed }: RecheckInput): Recheck {
  const bid = choices.bidPerHour;
  const least = offer.minBidPerHour;
  if (query.rentalType === 'interruptible' && bid !== undefined && least !== undefined && bid < least) {
    return { kind: 'bidTooLow', offer, bid, least };
  }
  const { running } = quoteOffer(offer, {
    rentalType: query.rentalType,
    diskGb: query.diskGb,
    searchedDiskGb: query.diskGb,
    bidPerHour: bid,
  });
  if ((running === undefined) !== (confirmed === undefined)) {
    return { kind: 'repriced', offer };
  }
  if (running !== undefined && confirmed !== undefined && perHour(running) > perHour(confirmed)) {
    return { kind: 'dearer', offer, before: perHour(confirmed), after: perHour(running) };
  }
  return { kind: 'asConfirmed', offer };
}

/** The same offer as it is now. */
function compareAgain(offer: Offer, query: MarketQuery, input: RecheckInput): Recheck {
  const now = compare(offer, query, input);
  return now.kind === 'asConfirmed' && costsMoreBeside(offer, input.offer)
    ? { kind: 'repriced', offer }
    : now;
}

/** Whether the disk, which is paid while it is stopped as well, or the traffic costs more than was shown. */
function costsMoreBeside(offer: Offer, shown: Offer): boolean {
  const prices = ['storagePerGbMonth', 'inetDownPerGb', 'inetUpPerGb'] as const;
  return prices.some((name) => {
    const [before, after] = [shown[name], offer[name]];
    return before !== undefined && (after === undefined || after > before);
  });
}

/**
 * Returns the cheapest further offer of the same GPU that costs no more than confirmed and has no additional misfit.
 * With a volume it must be on the same machine.
 */
export async function findCopy(
  search: Client['offers']['search'],
  input: RecheckInput,
  used: ReadonlySet<number>,
  signal?: AbortSignal,
): Promise<Offer | undefined> {
  const { offer, choices } = input;
  const { filters } = input.query;
  const query: MarketQuery = {
    ...rentalQuery(input),
    sort: 'price',
    filters: {
      ...filters,
      ...(offer.gpuName === undefined ? {} : { gpu: { oneOf: [offer.gpuName] } }),
      ...(offer.gpuCount === undefined ? {} : { gpuCount: { min: offer.gpuCount, max: offer.gpuCount } }),
    },
  };
  const { items } = await search(toOfferSearch(query), { signal });
  const known = misfitIds(offer, choices);
  return sorted(fitting(items, query), query).find(
    (one) =>
      !used.has(one.id) &&
      one.rentable !== false &&
      (choices.volume === undefined || one.machineId === offer.machineId) &&
      misfitIds(one, choices).every((id) => known.includes(id)) &&
      compare(one, query, input).kind === 'asConfirmed',
  );
}

/** Returns the warnings that the user saw beside the price of an offer. */
function misfitIds(offer: Offer, choices: RentChoices): readonly Misfit['id'][] {
  return rentalFit({ offer, choices }).misfits.map(({ id }) => id);
}
