import { pathId } from './body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from './route';
import type { World } from './world';

/** See docs/service/deployments.md#record. Times are Unix seconds. */
interface Deployment {
  id: number;
  account_id: number;
  name: string;
  tag: string;
  image: string;
  endpoint_id: number;
  endpoint_state: 'active' | 'stopped';
  worker_count: number;
  env: string;
  search_params: string;
  current_version_id: number;
  last_healthy_version_id: number;
  storage: number;
  ttl: number | null;
  last_client_heartbeat: number | null;
  created_at: number;
  updated_at: number;
}

interface DeploymentState {
  deployments: Deployment[];
  seeded: boolean;
}

const none = 'Deployment not found';

const reads = { permission: 'instance_read', endpoint: 'api.deployments', everySeconds: 3 } as const;

/** Serverless deployments (docs/service/deployments.md#record). */
export function deploymentRoutes(world: World): Route[] {
  const state = world.section<DeploymentState>('deployments', () => ({ deployments: [], seeded: false }));
  seed(world, state);
  const own = (request: SimRequest): Deployment => {
    const id = pathId(request.params['id'], 'not_found', none);
    const { accountId } = callerOf(request);
    const found = state.deployments.find((each) => each.id === id && each.account_id === accountId);
    if (!found) {
      throw new ServiceError(404, 'not_found', none);
    }
    return found;
  };
  const move = (request: SimRequest, to: Deployment['endpoint_state']) => {
    const deployment = own(request);
    if (deployment.endpoint_state !== to) {
      deployment.endpoint_state = to;
      deployment.worker_count = to === 'active' ? 1 : 0;
      deployment.updated_at = world.now();
      world.changed();
    }
    return ok({ success: true, endpoint_state: to });
  };
  return [
    route('GET /api/v0/deployments/', reads, (request) => {
      const { accountId } = callerOf(request);
      const mine = state.deployments.filter((each) => each.account_id === accountId);
      return ok({ success: true, deployments: mine.map((each) => row(world, each)) });
    }),
    route(
      'GET /api/v0/deployment/{id}/',
      { permission: 'instance_read', endpoint: 'api.deployment', everySeconds: 3, limitPerPath: true },
      (request) => ok({ success: true, deployment: row(world, own(request)) }),
    ),
    route(
      'POST /api/v0/deployment/{id}/stop/',
      { permission: 'instance_write', endpoint: 'api.deployment.stop', everySeconds: 2 },
      (request) => move(request, 'stopped'),
    ),
    route(
      'POST /api/v0/deployment/{id}/start/',
      { permission: 'instance_write', endpoint: 'api.deployment.start', everySeconds: 2 },
      (request) => move(request, 'active'),
    ),
  ];
}

function row(world: World, deployment: Deployment): Record<string, unknown> {
  const shown: Partial<Deployment> = { ...deployment };
  delete shown.account_id;
  return world.options.minimalRecords
    ? { id: shown.id, endpoint_state: shown.endpoint_state }
    : { ...shown, s3_key: null, file_hash: null };
}

/** Two of the first account: one that works, one that was stopped. */
function seed(world: World, state: DeploymentState): void {
  const first = world.accounts[0];
  if (state.seeded || !first) {
    return;
  }
  state.seeded = true;
  const now = world.now();
  const day = 86_400;
  const common = { account_id: first.id, tag: 'default', ttl: null };
  state.deployments.push(
    {
      ...common,
      id: world.nextId('deployment', 644),
      name: 'chat-qwen',
      image: 'vllm/vllm-openai:v0.9.2',
      endpoint_id: 9011,
      endpoint_state: 'active',
      worker_count: 2,
      env: '-e MODEL=Qwen/Qwen2.5-7B-Instruct',
      search_params: 'gpu_ram>=24 verified=true',
      current_version_id: 31,
      last_healthy_version_id: 31,
      storage: 64,
      last_client_heartbeat: now - 40,
      created_at: now - 12 * day,
      updated_at: now - 2 * day,
    },
    {
      ...common,
      id: world.nextId('deployment', 644),
      name: 'pictures',
      image: 'ghcr.io/example/comfyui:0.3.43',
      endpoint_id: 9012,
      endpoint_state: 'stopped',
      worker_count: 0,
      env: '',
      search_params: 'gpu_name="RTX 4090"',
      current_version_id: 7,
      last_healthy_version_id: 6,
      storage: 40,
      last_client_heartbeat: null,
      created_at: now - 40 * day,
      updated_at: now - 5 * day,
    },
  );
  world.changed();
}
