import { BodyReader } from '../body';
import { ok, ServiceError, type Route } from '../route';
import type { World } from '../world';
import { OfferFilters } from './filters';
import { minimalOffer, offerRow, type RentalType } from './offerRow';

/** The largest number of rows in an answer (docs/service/offers.md#search). */
const mostRows = 64;
/**
 * The GB that `dph_total` includes by default, as the public client asks for
 * (docs/service/offers.md#defaults-of-the-public-client).
 */
const usualStorageGb = 5;
/** Next to the filters; the last ones are of older clients and change nothing. */
const notFilters = ['type', 'order', 'limit', 'allocated_storage', 'disable_bundling', 'client_id', 'owner'];

/** POST bundles (docs/service/offers.md#search). */
export function searchRoutes(world: World): Route[] {
  const filters = new OfferFilters();
  return [
    {
      method: 'POST',
      path: '/api/v0/bundles/',
      permission: 'misc',
      endpoint: 'api.bundle.search',
      // Ten calls a minute, spread evenly, so that waiting the threshold is always enough
      // (docs/service/limits.md#searches-a-minute).
      thresholdSeconds: 6,
      burst: 10,
      handle: (request) => {
        const body = BodyReader.of(request.body);
        const type = rentalType(body.text('type'));
        const storageGb = body.number('allocated_storage') ?? usualStorageGb;
        const limit = Math.min(mostRows, Math.max(0, body.integer('limit') ?? mostRows));
        const wanted = Object.fromEntries(
          Object.entries(body.fields).filter(([name]) => !notFilters.includes(name)),
        );
        const matches = filters.predicate(wanted);
        const offers = world.market.offers
          .map((slice) => offerRow(world, world.market, slice, type, storageGb))
          .filter(matches)
          .sort(filters.comparator(orderOf(body.fields['order'])))
          .slice(0, limit);
        return ok({ offers: world.options.minimalRecords ? offers.map(minimalOffer) : offers });
      },
    },
  ];
}

/** Both spellings of on demand are documented (docs/service/offers.md#search). */
function rentalType(text: string | undefined): RentalType {
  switch (text) {
    case undefined:
    case 'on-demand':
    case 'ondemand':
      return 'on-demand';
    case 'bid':
    case 'interruptible':
      return 'bid';
    case 'reserved':
      return 'reserved';
    default:
      throw new ServiceError(400, 'invalid_args', `Unknown type ${text}.`);
  }
}

function orderOf(value: unknown): readonly (readonly [string, string])[] {
  if (value === undefined || value === null) {
    return [['score', 'desc']];
  }
  if (!Array.isArray(value)) {
    throw new ServiceError(400, 'invalid_args', 'order must be a list of [field, direction] pairs.');
  }
  return value.map((pair: unknown) => {
    const [field, direction] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    if (typeof field !== 'string' || (direction !== 'asc' && direction !== 'desc')) {
      throw new ServiceError(400, 'invalid_args', 'order must be a list of [field, direction] pairs.');
    }
    return [field, direction];
  });
}
