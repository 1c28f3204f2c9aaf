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
import type { CallOptions, Http } from './http';
import { listReader } from './listing';
import { nonEmpty } from './modelValues';
import { path } from './path';

/** Lists, starts and stops deployments (docs/service/deployments.md#record). */
export function deploymentsApi(http: Http): Client['deployments'] {
  const move = async (id: number, to: 'stop' | 'start', options: CallOptions | undefined) => {
    const answer = await http.call(
      {
        method: 'POST',
        path: to === 'stop' ? path`/api/v0/deployment/${id}/stop/` : path`/api/v0/deployment/${id}/start/`,
        route: `POST /api/v0/deployment/{id}/${to}/`,
        repeat: 'write',
      },
      endpointStateAnswer,
      options,
    );
    return defined<{ endpointState?: string }>({ endpointState: nonEmpty(answer.endpoint_state) });
  };
  return {
    list: listReader(http, {
      path: '/api/v0/deployments/',
      answer: deploymentList,
      names: ['deployments', 'results'],
      record: deployment,
      toModel: toDeployment,
    }),
    get: async (id, options) => {
      const route = 'GET /api/v0/deployment/{id}/';
      const answer = await http.call(
        { method: 'GET', path: path`/api/v0/deployment/${id}/`, route, repeat: 'read' },
        oneDeployment,
        options,
      );
      const parsed = deployment.safeParse(answer.deployment);
      if (!parsed.success) {
        throw new NotUnderstoodError({ route, status: 200 });
      }
      return toDeployment(parsed.data);
    },
    start: (id, options) => move(id, 'start', options),
    stop: (id, options) => move(id, 'stop', options),
  };
}

function toDeployment(wire: WireDeployment): Deployment {
  return defined<Deployment>({
    id: wire.id,
    name: nonEmpty(wire.name),
    tag: nonEmpty(wire.tag),
    image: nonEmpty(wire.image),
    endpointId: wire.endpoint_id,
    endpointState: nonEmpty(wire.endpoint_state),
    workers: wire.worker_count,
    storageGb: wire.storage,
    currentVersionId: wire.current_version_id,
    lastHealthyVersionId: wire.last_healthy_version_id,
    lastHeartbeatAt: wire.last_client_heartbeat,
    createdAt: wire.created_at,
    updatedAt: wire.updated_at,
  });
}
