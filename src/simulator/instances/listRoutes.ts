import { toNumber } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';
import { instanceRow } from './record';

/** The largest number of rows on a v1 page (docs/service/limits.md#sizes). */
const mostRows = 25;

/** The two lists of instances. */
export function listRoutes(world: World, lifecycle: Lifecycle): Route[] {
  const own = (request: SimRequest): readonly InstanceState[] => {
    const { accountId } = callerOf(request);
    lifecycle.billing.settleAccount(accountId);
    const lag = world.options.listLagSeconds ?? 0;
    return world
      .instancesOf(accountId)
      .filter(({ createdAt }) => lag === 0 || world.now() - createdAt >= lag);
  };
  return [
    route(
      'GET /api/v0/instances/',
      { permission: 'instance_read', endpoint: 'api.instance.list', everySeconds: 1 },
      (request) => {
        if (world.options.deprecatedList) {
          throw new ServiceError(
            410,
            'deprecated_endpoint',
            '/api/v0/instances/ is deprecated. Use /api/v1/instances/ instead.',
          );
        }
        if (world.options.rowsPerPage !== undefined) {
          // Older accounts get the same pages without a total (docs/service/instances.md#list).
          const { instances, instances_found, next_token } = page(world, own(request), request);
          return ok({ success: true, instances_found, instances, next_token });
        }
        const instances = own(request).map((instance) => instanceRow(world, instance));
        return ok({ instances_found: instances.length, instances });
      },
    ),
    // The paged v1 list (docs/service/instances.md#list).
    // A page follows a page at once; the least time holds between readings of the list.
    route(
      'GET /api/v1/instances/',
      { permission: 'instance_read', endpoint: 'api.instance.list', everySeconds: 1, burst: 4 },
      (request) => {
        if (world.options.noPagedList) {
          throw new ServiceError(404, 'not_found', 'There is no such page.');
        }
        return ok(page(world, own(request), request));
      },
    ),
  ];
}

function page(world: World, all: readonly InstanceState[], request: SimRequest) {
  const limit = toNumber(request.query.get('limit')) ?? mostRows;
  if (limit < 1) {
    throw new ServiceError(400, 'invalid_args', `limit must be from 1 to ${mostRows}.`);
  }
  const token = request.query.get('after_token') ?? '';
  // The token is the last id of the page before: it stays valid when instances are added and removed.
  const after = token === '' ? 0 : decodeToken(token);
  const rest = [...all].sort((a, b) => a.id - b.id).filter((instance) => instance.id > after);
  const rows = rest.slice(0, Math.min(limit, world.options.rowsPerPage ?? mostRows, mostRows));
  const last = rows.at(-1);
  const labels = new Map<string, number>();
  for (const { label } of all) {
    labels.set(label ?? '', (labels.get(label ?? '') ?? 0) + 1);
  }
  return {
    success: true,
    instances_found: rows.length,
    total_instances: all.length,
    label_counts: Object.fromEntries(labels),
    next_token: tokenAfter(last && rest.length > rows.length ? last.id : undefined, token, world),
    instances: rows.map((instance) => instanceRow(world, instance)),
  };
}

/** The token of the next page, or the ordered value in its place. */
function tokenAfter(lastId: number | undefined, asked: string, { options }: World): unknown {
  if (options.pageTokens === 'odd') {
    return { after: lastId };
  }
  if (options.pageTokens === 'repeat') {
    return asked === '' ? encodeToken(0) : asked;
  }
  if (options.pageTokens === 'endless') {
    return encodeToken(lastId ?? (asked === '' ? 0 : decodeToken(asked)) + 1);
  }
  return lastId === undefined ? null : encodeToken(lastId);
}

function encodeToken(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url');
}

function decodeToken(token: string): number {
  const match = /^after:(\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'));
  if (!match) {
    throw new ServiceError(400, 'invalid_token', 'Invalid page token.');
  }
  return Number(match[1]);
}
