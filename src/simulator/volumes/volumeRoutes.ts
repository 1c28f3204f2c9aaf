import { BodyReader } from '../body';
import { OfferFilters } from '../market/filters';
import type { Market } from '../market/market';
import { callerOf, ok, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { Volumes } from './volumes';

const mostRows = 64;
const notFilters = ['type', 'order', 'limit', 'allocated_storage', 'disable_bundling', 'client_id', 'owner'];

/**
 * Volumes and their market (docs/service/volumes.md#search). The rental links them through
 * `world.ports.volumes`.
 */
export function volumeRoutes(world: World, market: Market): Route[] {
  const volumes = new Volumes(world, market);
  world.ports.volumes = {
    attach: (wanted, rental) => volumes.attach(wanted, rental),
    release: (instanceId) => volumes.release(instanceId),
  };
  const filters = new OfferFilters();
  return [
    {
      method: 'POST',
      path: '/api/v0/volumes/search/',
      permission: 'misc',
      endpoint: 'api.volumes.search',
      thresholdSeconds: 5.5,
      handle: (request) => {
        const body = BodyReader.of(request.body);
        const limit = Math.min(mostRows, Math.max(0, body.integer('limit') ?? mostRows));
        const wanted = Object.fromEntries(
          Object.entries(body.fields).filter(([name]) => !notFilters.includes(name)),
        );
        const matches = filters.predicate(wanted);
        const storageGb = body.number('allocated_storage') ?? 1;
        const offers = volumes
          .offers(storageGb)
          .filter(matches)
          .sort(filters.comparator(orderOf(body.fields['order'])));
        return ok({ offers: offers.slice(0, limit) });
      },
    },
    {
      method: 'GET',
      path: '/api/v0/volumes/',
      permission: 'instance_read',
      endpoint: 'api.volumes',
      thresholdSeconds: 5.5,
      handle: (request) => {
        const { accountId } = callerOf(request);
        return ok({ volumes: volumes.list(accountId, request.query.get('type')) });
      },
    },
    {
      method: 'PUT',
      path: '/api/v0/volumes/',
      permission: 'instance_write',
      endpoint: 'api.volumes',
      thresholdSeconds: 5.5,
      handle: (request) => {
        const body = BodyReader.of(request.body);
        const volume = volumes.create(callerOf(request).accountId, {
          offerId: body.integer('id'),
          size: body.number('size'),
          name: body.text('name'),
        });
        return ok({ success: true, volume_name: `V.${volume.id}` });
      },
    },
    {
      method: 'DELETE',
      path: '/api/v0/volumes/',
      permission: 'instance_write',
      endpoint: 'api.volumes',
      thresholdSeconds: 5.5,
      handle: (request) => {
        volumes.remove(callerOf(request).accountId, idToDelete(request));
        return ok({ success: true });
      },
    },
  ];
}

/**
 * The public command-line client sends the id in the query, the documentation shows it in the body
 * (docs/service/volumes.md#delete).
 */
function idToDelete(request: SimRequest): number {
  const text = request.query.get('id');
  const id = text === null ? BodyReader.of(request.body).integer('id') : Number(text);
  if (id === undefined || !Number.isInteger(id)) {
    throw new ServiceError(400, 'invalid_args', 'id is required.');
  }
  return id;
}

function orderOf(value: unknown): readonly (readonly [string, string])[] {
  if (value === undefined || value === null) {
    return [['storage_cost', 'asc']];
  }
  const pairs = Array.isArray(value) ? value : [];
  return pairs.map((pair: unknown) => {
    const [field, direction] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    if (typeof field !== 'string' || (direction !== 'asc' && direction !== 'desc')) {
      throw new ServiceError(400, 'invalid_args', 'order must be a list of [field, direction] pairs.');
    }
    return [field, direction];
  });
}
