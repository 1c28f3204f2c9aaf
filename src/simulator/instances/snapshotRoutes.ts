import { BodyReader } from '../body';
import { ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { ownInstance } from './ownInstance';

interface Pushed {
  /** As in `personal_repo`, without a registry. */
  readonly repository: string;
  readonly tag: string;
}

/** How long a push takes; the service needs 5 to 10 minutes or more (docs/service/instances.md#snapshot). */
const pushSeconds = 400;
/** The one password that the registry of the simulator refuses. */
const wrongPassword = 'wrong';

/** Snapshots, and a registry at the address of the simulator that shows them. */
export function snapshotRoutes(world: World): Route[] {
  const state = world.section<{ pushed: Pushed[] }>('snapshots', () => ({ pushed: [] }));
  return [
    route(
      'POST /api/v0/instances/take_snapshot/{id}/',
      { permission: 'instance_write', endpoint: 'api.instance.take_snapshot', everySeconds: 1 },
      (request) => {
        const body = BodyReader.of(request.body);
        if (body.has('id')) {
          throw new ServiceError(400, 'invalid_args', 'id is duplicated in URL and body.');
        }
        const { id, isVm } = ownInstance(world, request);
        const name = body.text('personal_repo') ?? '';
        const registry = body.text('container_registry') ?? 'docker.io';
        const repository = name.startsWith(`${registry}/`) ? name.slice(registry.length + 1) : name;
        if (!/^[a-z0-9._-]+(?:\/[a-z0-9._-]+)+$/.test(repository)) {
          throw new ServiceError(400, 'invalid_args', 'personal_repo must be [registry/]namespace/name.');
        }
        if (!body.text('docker_login_pass') || isVm) {
          throw new ServiceError(400, 'invalid_args', 'docker_login_pass is missing, or this is a VM.');
        }
        // A wrong password is accepted like any other, and nothing follows.
        if (body.text('docker_login_pass') !== wrongPassword) {
          const day = new Date(world.now() * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
          world.clock.schedule(() => {
            state.pushed.push({ repository, tag: `instance_${id}_at_${day}` });
            world.changed();
          }, pushSeconds * 1000);
        }
        return ok({ success: true, msg: 'scheduled' });
      },
    ),
    route('GET /v2/{namespace}/{name}/tags/list', { anonymous: true }, (request) => {
      const password = passwordOf(request);
      if (password === undefined || password === wrongPassword) {
        return {
          status: 401,
          body: { errors: [{ code: 'UNAUTHORIZED' }] },
          headers: { 'www-authenticate': 'Basic realm="simulator"' },
        };
      }
      const name = `${request.params['namespace'] ?? ''}/${request.params['name'] ?? ''}`;
      const tags = state.pushed.filter(({ repository }) => repository === name).map(({ tag }) => tag);
      return tags.length === 0
        ? { status: 404, body: { errors: [{ code: 'NAME_UNKNOWN' }] } }
        : ok({ name, tags });
    }),
  ];
}

function passwordOf({ headers }: SimRequest): string | undefined {
  const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  return /^[^:]+:(.+)$/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}
