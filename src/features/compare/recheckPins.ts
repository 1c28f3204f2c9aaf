import type { Client } from '../../api/client';
import type { OfferSearch } from '../../model/offers/filters';
import { toOfferSearch } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import type { OfferPin } from '../../store/offers/offerPins';

/**
 * Returns the current state of pinned offers by id; missing ones are gone, and `unread` ones may be a record that could
 * not be read. Offers with the same terms share one search. The filter by id is not documented, so an offer that it does
 * not find is searched by its machine before it counts as gone.
 */
export async function recheckPins(
  search: Client['offers']['search'],
  pins: readonly OfferPin[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Offer | 'unread'>> {
  const found = new Map<number, Offer | 'unread'>();
  const seen = new Set<number>();
  const look = async (pin: OfferPin, filters: OfferSearch['filters']) => {
    const { items, skipped } = await search({ ...toOfferSearch(pin.origin.query), filters }, { signal });
    for (const offer of items) {
      seen.add(offer.id);
      if (offer.rentable !== false) {
        found.set(offer.id, offer);
      }
    }
    return skipped;
  };
  for (const group of sameTerms(pins)) {
    let skipped = await look(group[0], { id: { in: group.map(({ offer }) => offer.id) } });
    const machines = group
      .filter(({ offer }) => !found.has(offer.id))
      .map(({ offer }) => offer.machineId)
      .filter((id) => id !== undefined);
    if (machines.length > 0) {
      skipped += await look(group[0], { machine_id: { in: [...new Set(machines)] } });
    }
    if (skipped > 0) {
      group.filter(({ offer }) => !seen.has(offer.id)).forEach(({ offer }) => found.set(offer.id, 'unread'));
    }
  }
  return found;
}

/** Groups pins whose prices are comparable: prices depend on the rental type and the requested disk. */
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
