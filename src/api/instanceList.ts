import type { Instance } from '../model/instances/instance';
import { instance, instanceList } from '../wire/instance';
import { defined } from '../util/defined';
import type { InstanceListing } from './client';
import { GoneError, NotFoundError, NotUnderstoodError } from './errors';
import type { CallOptions, Http } from './http';
import { toInstance } from './instanceModel';
import { readRecords } from './listing';
import { read } from './request';

const v0 = read('GET /api/v0/instances/');
const v1 = read('GET /api/v1/instances/');
/** The largest page that the service sends (docs/service/limits.md#sizes). */
const rowsPerPage = 25;
const mostPages = 400;

/**
 * Lists the instances with the documented v0 call, or with the paged v1 call where the service has withdrawn
 * v0 (docs/service/instances.md#list). Remembers for this client which one works. A refused key never counts
 * as withdrawn.
 */
export function instanceLister(http: Http): (options?: CallOptions) => Promise<InstanceListing> {
  let useV1 = false;
  return async (options) => {
    if (!useV1) {
      try {
        return await listV0(http, options);
      } catch (error) {
        // `auth_error` with 404 is an `UnauthorizedError`, so it does not come here.
        if (!(error instanceof GoneError || error instanceof NotFoundError)) {
          throw error;
        }
      }
    }
    const listing = await listV1(http, options);
    useV1 = true;
    return listing;
  };
}

async function listV0(http: Http, options?: CallOptions): Promise<InstanceListing> {
  const answer = await http.call(v0, instanceList, options);
  const rows = rowsOf(answer.instances, answer.instances_found, v0.route);
  const listing = await readRecords(rows, instance, toInstance, { http, route: v0.route });
  const found = answer.total_instances ?? answer.instances_found;
  const items = byId(listing.items);
  // One that is listed twice counts once.
  return defined<InstanceListing>({
    items,
    skipped: listing.skipped,
    found: found && Math.max(items.length, found - (listing.items.length - items.length)),
  });
}

function byId(items: readonly Instance[]): readonly Instance[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

async function listV1(http: Http, options?: CallOptions): Promise<InstanceListing> {
  const items = new Map<number, Instance>();
  const seen = new Set<string>();
  let skipped = 0;
  let found = 0;
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { limit: rowsPerPage, after_token: token };
    const answer = await http.call({ ...v1, query }, instanceList, options);
    const rows = rowsOf(answer.instances, answer.instances_found, v1.route);
    const listing = await readRecords(rows, instance, toInstance, { http, route: v1.route });
    for (const item of listing.items) {
      items.set(item.id, item);
    }
    skipped += listing.skipped;
    found = Math.max(found, answer.total_instances ?? 0, answer.instances_found ?? 0);
    token = answer.next_token ?? undefined;
    // A token that comes back would never end; what is missing then shows in `found`.
    if (token === undefined || token === '' || seen.has(token)) {
      break;
    }
    seen.add(token);
  }
  return { items: [...items.values()], skipped, found: Math.max(found, items.size + skipped) };
}

/** Some answers have null for "none"; it is believed only where the count agrees. */
function rowsOf(
  rows: readonly unknown[] | null,
  found: number | undefined,
  route: string,
): readonly unknown[] {
  if (rows === null && found !== 0) {
    throw new NotUnderstoodError({ route, status: 200 });
  }
  return rows ?? [];
}
