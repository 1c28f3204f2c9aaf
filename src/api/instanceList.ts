import { instance, instanceList } from '../wire/instance';
import type { InstanceListing } from './client';
import { GoneError, NotFoundError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';
import { toInstance } from './instanceModel';
import { readPages } from './listing';
import { read } from './request';

/** The largest page that the service sends (docs/service/limits.md#sizes). */
const v1 = { ...read('GET /api/v1/instances/'), query: { limit: 25 } };
const v0 = read('GET /api/v0/instances/');

/**
 * Lists the instances with the v1 call, or with the v0 call of the interface where the service lacks v1
 * (docs/service/instances.md#list). Remembers for this client which one works. A refused key never counts as a lack.
 */
export function instanceLister(http: Http): (options?: CallOptions) => Promise<InstanceListing> {
  let [first, second]: readonly [ApiRequest, ApiRequest] = [v1, v0];
  return async (options) => {
    try {
      return await list(http, first, options);
    } catch (error) {
      // `auth_error` with 404 is an `UnauthorizedError`, so it does not come here.
      if (!(error instanceof GoneError || error instanceof NotFoundError)) {
        throw error;
      }
    }
    const listing = await list(http, second, options);
    [first, second] = [second, first];
    return listing;
  };
}

async function list(http: Http, request: ApiRequest, options?: CallOptions): Promise<InstanceListing> {
  const { items, skipped, missing } = await readPages(
    http,
    request,
    instanceList,
    instance,
    toInstance,
    options,
  );
  return { items, skipped, found: items.length + skipped + missing };
}
