import type { Deployment } from '../model/deployment';
import {
  deployment,
  deploymentList,
  endpointStateAnswer,
  oneDeployment,
  type WireDeployment,
} from '../wire/deployment';
import { defined } from '../util/defined';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { ApiRequest, CallOptions, Http } from './http';
import { readList } from './listing';
import { nonEmpty } from './modelValues';
import { read, write } from './request';

/** Lists, starts and stops deployments (docs/service/deployments.md#record). */
export function deploymentsApi(http: Http): Client['deployments'] {
  const move = async (request: ApiRequest, options: CallOptions | undefined) => {
    const answer = await http.call(request, endpointStateAnswer, options);
    return defined<{ endpointState?: string }>({ endpointState: nonEmpty(answer.endpoint_state) });
  };
  return {
    list: (options) =>
      readList(http, read('GET /api/v0/deployments/'), deploymentList, deployment, toDeployment, options),
    get: async (id, options) => {
      const request = read('GET /api/v0/deployment/{id}/', { id });
      const answer = await http.call(request, oneDeployment, options);
      const parsed = deployment.safeParse(answer.deployment);
      if (!parsed.success) {
        throw new NotUnderstoodError({ route: request.route, status: 200 });
      }
      return toDeployment(parsed.data);
    },
    start: (id, options) => move(write('POST /api/v0/deployment/{id}/start/', { id }), options),
    stop: (id, options) => move(write('POST /api/v0/deployment/{id}/stop/', { id }), options),
  };
}

function toDeployment(wire: WireDeployment): Deployment {
  return defined<Deployment>({
    id: wire.id,
    name: nonEmpty(wire.name),
    tag: nonEmpty(wire.tag),
    image: nonEmpty(wire.image),
    endpointState: nonEmpty(wire.endpoint_state),
    workers: wire.worker_count,
    createdAt: wire.created_at,
  });
}
