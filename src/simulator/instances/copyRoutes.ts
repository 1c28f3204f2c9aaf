import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { BodyReader } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import type { InstanceFolders } from './instanceFolders';
import type { Lifecycle } from './lifecycle';
import type { Results } from './results';
import type { SshHost } from './sshHost';

const direct = {
  permission: 'instance_write',
  endpoint: 'api.commands.copy_direct',
  everySeconds: 3.5,
} as const;
const cloud = { permission: 'instance_write', endpoint: 'api.commands.rclone', everySeconds: 3.5 } as const;
const sizes = {
  permission: 'instance_write',
  endpoint: 'api.commands.get_copy_size',
  everySeconds: 3.5,
} as const;
const copySeconds = 5;

interface Context {
  readonly world: World;
  readonly folders: InstanceFolders;
  readonly lifecycle: Lifecycle;
  readonly ssh: Pick<SshHost, 'openCopies'>;
  readonly results: Results;
}

/** Copies between instances, volumes and the cloud; their progress is in the status (docs/service/commands.md#copy). */
export function copyRoutes(context: Context): Route[] {
  const running = new Map<number, { isCancelled: boolean }>();
  /** Those from clouds; nothing ends one to a cloud. */
  const fromClouds = new Map<number, { isCancelled: boolean }>();
  return [
    route('PUT /api/v0/commands/copy_direct/', direct, (request) => {
      const body = BodyReader.of(request.body);
      const from = endOf(context, request, body.text('src_id'), body.text('src_path'));
      const to = endOf(context, request, body.text('dst_id'), body.text('dst_path'));
      if (/^(?:\/root)?\/*$/.test(body.text('dst_path') ?? '')) {
        throw new ServiceError(400, 'invalid_args', 'Copying to / and /root is not allowed.');
      }
      begin(context, running, { from, to });
      return ok({ success: true, msg: 'Remote to Remote copy initiated - check instance status bar.' });
    }),
    route('DELETE /api/v0/commands/copy_direct/', direct, (request) => {
      const { instance } = placeOf(context, request, BodyReader.of(request.body).text('dst_id'), '/');
      const copy = running.get(instance.id);
      if (copy) {
        copy.isCancelled = true;
        setStatus(context, instance, 'Copy cancelled.');
      }
      return ok({ success: true, msg: 'Remote copy canceled.' });
    }),
    route('DELETE /api/v0/commands/rclone/', cloud, (request) => {
      const id = BodyReader.of(request.body).integer('dst_id') ?? 0;
      const { instance } = placeOf(context, request, `C.${id}`, '/');
      if (instance.startedAt === null || instance.actualStatus === 'offline') {
        return ok({ success: false, error: 'invalid_arqgs', msg: 'no open port' });
      }
      const copy = fromClouds.get(instance.id);
      if (copy) {
        copy.isCancelled = true;
      }
      setStatus(context, instance, 'Cloud copy cancelled.');
      return ok({ success: true });
    }),
    route('POST /api/v0/commands/get_copy_size/', sizes, (request) => {
      const body = BodyReader.of(request.body);
      const { file } = endOf(context, request, body.text('src_id'), body.text('src_path'));
      if (file === undefined) {
        throw new ServiceError(400, 'invalid_args', 'The size of a cloud path is unknown.');
      }
      return ok({ success: true, result_url: context.results.publish(`${kilobytesIn(file)}K\t/\n`) });
    }),
    hostRoute(context),
    cloudRoute(context, fromClouds),
    connectionsRoute(),
  ];
}

/** Only the way to this computer; the service has one in the other direction as well. */
function hostRoute(context: Context): Route {
  return route(
    'PUT /api/v0/commands/rsync/',
    { permission: 'instance_write', endpoint: 'api.commands.rsync', everySeconds: 3.5 },
    async (request) => {
      const body = BodyReader.of(request.body);
      const { instance } = placeOf(context, request, body.text('src_id'), body.text('src_path'));
      const port = await context.ssh.openCopies(instance);
      return ok({ success: true, src_addr: '127.0.0.1', src_port: port });
    },
  );
}

const connections = [{ id: 4411, name: 'checkpoints', cloud_type: 's3' }];

/** Accounts of the simulator have one connection (docs/service/commands.md#cloud-connections). */
function connectionsRoute(): Route {
  return route(
    'GET /api/v0/users/cloud_integrations/',
    { permission: 'user_read', endpoint: 'api.users.cloud_integrations', everySeconds: 1 },
    () => ok(connections),
  );
}

function cloudRoute(context: Context, fromClouds: Map<number, { isCancelled: boolean }>): Route {
  return route('POST /api/v0/commands/rclone/', cloud, (request) => {
    const body = BodyReader.of(request.body);
    const isFromCloud = body.text('transfer') === 'Cloud To Instance';
    const [here, there] = isFromCloud ? (['dst', 'src'] as const) : (['src', 'dst'] as const);
    const name = `C.${body.integer('instance_id') ?? 0}`;
    const { instance } = placeOf(context, request, name, body.text(here));
    if (!connections.some(({ id }) => id === body.integer('selected')) || !body.text(there)) {
      throw new ServiceError(400, 'invalid_args', 'There is no such cloud connection.');
    }
    const copy = { isCancelled: false };
    if (isFromCloud) {
      fromClouds.set(instance.id, copy);
    }
    setStatus(context, instance, 'Cloud copy started.');
    context.world.clock.schedule(() => {
      if (!copy.isCancelled && context.world.instance(instance.id)) {
        setStatus(context, instance, 'Cloud Copy Operation Finished');
      }
    }, copySeconds * 1000);
    return ok({
      success: true,
      msg: 'Cloud Copy Started - check instance status bar for progress updates.',
    });
  });
}

/** An end of a copy; a cloud has no files here, and a volume no status. */
interface End {
  readonly name: string;
  readonly instance?: InstanceState;
  readonly file?: string;
}

function endOf(
  context: Context,
  request: SimRequest,
  name: string | undefined,
  wanted: string | undefined,
): End {
  const [, kind = '', number] = /^([a-z0-9]+|V)\.(\d+)$/.exec(name ?? '') ?? [];
  if (kind === 'V') {
    const { accountId } = callerOf(request);
    if (context.world.ports.volumes?.has?.(accountId, Number(number)) !== true) {
      throw new ServiceError(404, 'no_such_volume', `Volume ${name ?? ''} not found.`);
    }
    return { name: name ?? '', file: below(context.folders.ensureVolume(Number(number)), wanted) };
  }
  if (connections.some(({ id, cloud_type }) => cloud_type === kind && id === Number(number))) {
    return { name: name ?? '' };
  }
  return { name: name ?? '', ...placeOf(context, request, name, wanted) };
}

function begin(
  context: Context,
  running: Map<number, { isCancelled: boolean }>,
  { from, to }: { readonly from: End; readonly to: End },
): void {
  const copy = { isCancelled: false };
  const { instance } = to;
  if (instance) {
    running.set(instance.id, copy);
    setStatus(context, instance, `Copying from ${from.name}.`);
  }
  context.world.clock.schedule(() => {
    const isGone = instance !== undefined && !context.world.instance(instance.id);
    if (instance) {
      running.delete(instance.id);
    }
    if (copy.isCancelled || isGone) {
      return;
    }
    const { file: source } = from;
    const done =
      source === undefined || to.file === undefined ? 'Copy finished.' : copyFiles(source, to.file);
    if (instance) {
      setStatus(context, instance, done);
    }
  }, copySeconds * 1000);
}

/** Of files and folders; no link is followed. */
function kilobytesIn(file: string): number {
  const found = lstatSync(file, { throwIfNoEntry: false });
  const inside = found?.isDirectory() === true ? readdirSync(file) : [];
  return inside.reduce(
    (sum, name) => sum + kilobytesIn(path.join(file, name)),
    Math.ceil((found?.isFile() === true ? found.size : 0) / 1024),
  );
}

function below(folder: string, wanted: string | undefined): string {
  if (!wanted?.startsWith('/')) {
    throw new ServiceError(400, 'invalid_args', 'Give a whole path.');
  }
  return path.resolve(realpathSync(folder), `.${path.posix.normalize(`/${wanted}`)}`);
}

function placeOf(
  { world, folders }: Context,
  request: SimRequest,
  name: string | undefined,
  wanted: string | undefined,
): { readonly instance: InstanceState; readonly file: string } {
  const instance = world.instance(Number(/^C\.(\d+)$/.exec(name ?? '')?.[1]));
  if (instance?.accountId !== callerOf(request).accountId) {
    throw new ServiceError(404, 'no_such_instance', `Instance ${name ?? ''} not found.`);
  }
  const file =
    wanted !== undefined && folders.isBeside(wanted)
      ? path.resolve(wanted)
      : below(folders.ensure(instance.id), wanted?.replace(/^\/root(?=\/|$)/, '/'));
  return { instance, file };
}

/** As rsync does: the content of a folder is copied into the other one. No link is followed. */
function copyFiles(from: string, to: string): string {
  if (!existsSync(from)) {
    return 'Copy failed: no such file or directory.';
  }
  mkdirSync(to, { recursive: true });
  // The copies of Node.js keep no times of folders.
  execFileSync('cp', ['-RPp', statSync(from).isDirectory() ? `${from}/.` : from, to]);
  return 'Copy finished.';
}

function setStatus({ lifecycle }: Context, instance: InstanceState, message: string): void {
  instance.statusMessage = `${message}\n`;
  lifecycle.changed(instance);
}
