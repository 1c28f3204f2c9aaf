import type { Client } from '../../api/client';
import type { OfferSearch } from '../../model/offers/filters';
import { toOfferSearch } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import type { OfferPin } from '../../store/offers/offerPins';

/**
 * Pinned offers as they are now, by id; those that are missing are gone. Offers with the same terms are read in
 * one search. The filter by id is not documented, so what it does not find is looked for by its machine before it
 * is called gone.
 */
export async function recheckPins(
  search: Client['offers']['search'],
  pins: readonly OfferPin[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Offer>> {
  const found = new Map<number, Offer>();
  const look = async (pin: OfferPin, filters: OfferSearch['filters']) => {
    const { items } = await search({ ...toOfferSearch(pin.origin.query), filters }, { signal });
    for (const offer of items.filter(({ rentable }) => rentable !== false)) {
      found.set(offer.id, offer);
    }
  };
  for (const group of sameTerms(pins)) {
    await look(group[0], { id: { in: group.map(({ offer }) => offer.id) } });
    const machines = group
      .filter(({ offer }) => !found.has(offer.id))
      .map(({ offer }) => offer.machineId)
      .filter((id) => id !== undefined);
    if (machines.length > 0) {
      await look(group[0], { machine_id: { in: [...new Set(machines)] } });
    }
  }
  return found;
}

/** Prices depend on the rental type and on the disk that was asked for. */
function sameTerms(pins: readonly OfferPin[]): readonly (readonly [OfferPin, ...OfferPin[]])[] {
  const groups = new Map<string, [OfferPin, ...OfferPin[]]>();
  for (const pin of pins) {
    const key = `${pin.origin.query.rentalType} ${pin.origin.query.diskGb}`;
    const group = groups.get(key);
    if (group) {
      group.push(pin);
    } else {
      groups.set(key, [pin]);
    }
  }
  return [...groups.values()];
}
