import { BodyReader } from '../body';
import { ok, route, ServiceError, type Route } from '../route';
import type { World } from '../world';
import { badOrder, searchOf } from './filters';
import { gpuModels } from './gpuModels';
import { minimalOffer, offerRow, type RentalType } from './offerRow';

/**
 * The GB that `dph_total` includes by default, as the public client asks for
 * (docs/service/offers.md#defaults-of-the-public-client).
 */
const usualStorageGb = 5;
const searches = { permission: 'misc', endpoint: 'api.bundle.search', everySeconds: 6, burst: 10 } as const;

/** POST bundles (docs/service/offers.md#search). */
export function searchRoutes(world: World): Route[] {
  return [
    // Needs no key (docs/service/offers.md#gpu-types).
    route('GET /api/v0/gpu_types/', { anonymous: true, everySeconds: 2 }, () =>
      ok({ gpu_types: gpuModels.map(({ name, ramMb }) => ({ canonical_name: name, gpu_ram_mb: ramMb })) }),
    ),
    // Ten calls a minute, spread evenly, so that waiting the threshold is always enough
    // (docs/service/limits.md#searches-a-minute).
    route('POST /api/v0/bundles/', searches, (request) => {
      const body = BodyReader.of(request.body);
      const type = rentalType(body.text('type'));
      const storageGb = body.number('allocated_storage') ?? usualStorageGb;
      const search = searchOf(body, [['score', 'desc']]);
      const order = body.fields['order'] ?? [];
      if (!Array.isArray(order)) {
        throw badOrder();
      }
      const offers = search(
        world.market.offers.map((slice) => offerRow(world, world.market, slice, type, storageGb)),
      );
      return ok({ offers: world.options.minimalRecords ? offers.map(minimalOffer) : offers });
    }),
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
