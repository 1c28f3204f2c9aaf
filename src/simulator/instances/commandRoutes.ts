import { BodyReader } from '../body';
import { hostKeyIn } from '../login/machineDir';
import { ok, route, ServiceError, type Route } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { ConstrainedCommand, InvalidCommand } from './constrainedCommand';
import type { InstanceFolders } from './instanceFolders';
import { containerLog, selectLines } from './instanceLog';
import { ownInstance } from './ownInstance';
import type { Results } from './results';

export interface CommandContext {
  readonly world: World;
  readonly folders: InstanceFolders;
  readonly results: Results;
}

/** Execute and logs; both answer with an address to read later (docs/service/commands.md#result-file). */
export function commandRoutes({ world, folders, results }: CommandContext): Route[] {
  return [
    route(
      'PUT /api/v0/instances/command/{id}/',
      {
        permission: 'instance_write',
        endpoint: 'api.instance.execute',
        everySeconds: 1.5,
        badJsonStatus: 483,
      },
      (request) => {
        const instance = ownInstance(world, request, { code: 'invalid_container_id', status: 400 });
        const command = BodyReader.of(request.body).text('command') ?? '';
        const parsed = parseCommand(command);
        if (!isInReach(instance)) {
          throw new ServiceError(400, 'invalid_container', 'The container of the instance is not in reach.');
        }
        const writeablePath = `/var/lib/docker/overlay2/C.${instance.id}/diff/`;
        const text = parsed.run(folders.ensure(instance.id), writeablePath);
        return ok({
          success: true,
          writeable_path: writeablePath,
          result_url: results.publish(text),
          msg: 'Executing command on the instance. Please wait a few seconds, then read the result URL.',
        });
      },
    ),
    // Logs need a read permission although the call is a PUT (docs/service/commands.md#logs).
    route(
      'PUT /api/v0/instances/request_logs/{id}/',
      { permission: 'instance_read', endpoint: 'api.instance.request_logs', everySeconds: 1 },
      (request) => {
        const instance = ownInstance(world, request, { code: 'invalid_id', status: 404 });
        const body = BodyReader.of(request.body);
        const lines = body.flag('daemon_logs')
          ? instance.hostLog
          : containerLog(instance, hostKeyIn(folders.ensure(instance.id)));
        const text = selectLines(lines, body.text('filter') || undefined, body.integer('tail'));
        return ok({
          success: true,
          result_url: results.publish(text),
          msg: 'Logs were requested. Please wait a few seconds, then read the result URL.',
        });
      },
    ),
    results.route(),
  ];
}

/** The disk of a stopped instance is there, too (docs/service/commands.md#execute). */
function isInReach({ startedAt, actualStatus }: InstanceState): boolean {
  return startedAt !== null && actualStatus !== 'unknown' && actualStatus !== 'offline';
}

function parseCommand(command: string): ConstrainedCommand {
  try {
    return ConstrainedCommand.parse(command);
  } catch (error) {
    throw error instanceof InvalidCommand ? new ServiceError(400, 'invalid_args', error.message) : error;
  }
}
