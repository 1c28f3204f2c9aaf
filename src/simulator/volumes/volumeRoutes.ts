import { BodyReader } from '../body';
import { searchOf } from '../market/filters';
import type { Market } from '../market/market';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { Volumes } from './volumes';

const reads = { permission: 'instance_read', endpoint: 'api.volumes', everySeconds: 5.5 } as const;
const writes = { permission: 'instance_write', endpoint: 'api.volumes', everySeconds: 5.5 } as const;
const clones = { permission: 'instance_write', endpoint: 'api.volumes.copy', everySeconds: 1 } as const;
const searches = { permission: 'misc', endpoint: 'api.volumes.search', everySeconds: 5.5 } as const;

/**
 * Volumes and their market (docs/service/volumes.md#search). The rental links them through
 * `world.ports.volumes`.
 */
export function volumeRoutes(world: World, market: Market): Route[] {
  const volumes = new Volumes(world, market);
  world.ports.volumes = {
    attach: (wanted, rental) => volumes.attach(wanted, rental),
    has: (accountId, id) => volumes.has(accountId, id),
    release: (instanceId) => volumes.release(instanceId),
    billed: (accountId) => volumes.billed(accountId),
  };
  return [
    route('POST /api/v0/volumes/search/', searches, (request) => {
      const body = BodyReader.of(request.body);
      const search = searchOf(body, [['storage_cost', 'asc']]);
      const offers = volumes.offers(body.number('allocated_storage') ?? 1);
      return ok({ offers: search(offers) });
    }),
    route('GET /api/v0/volumes/', reads, (request) => {
      const { accountId } = callerOf(request);
      return ok({ volumes: volumes.list(accountId, request.query.get('type')) });
    }),
    route('PUT /api/v0/volumes/', writes, (request) => {
      const body = BodyReader.of(request.body);
      const volume = volumes.create(callerOf(request).accountId, {
        offerId: body.integer('id'),
        size: body.number('size'),
        name: body.text('name'),
      });
      return ok({ success: true, volume_name: `V.${volume.id}` });
    }),
    route('POST /api/v0/volumes/copy/', clones, (request) => {
      const body = BodyReader.of(request.body);
      const volume = volumes.clone(callerOf(request).accountId, {
        sourceId: body.integer('src_id'),
        offerId: body.integer('dst_id'),
        size: body.number('size'),
      });
      return ok({ success: true, volume_name: `V.${volume.id}` });
    }),
    route('DELETE /api/v0/volumes/', writes, (request) => {
      volumes.remove(callerOf(request).accountId, idToDelete(request));
      return ok({ success: true });
    }),
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
