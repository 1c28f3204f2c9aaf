import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { InstanceFolders } from '../instances/instanceFolders';
import { ServiceError } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { Door } from './door';
import { keptHostKey, writeProgram, type MachineDir } from './machineDir';
import { program, shellWord } from './shell';
import type { MakeBackend, SshBackend } from './sshBackend';

interface CopyHostsOptions {
  readonly world: World;
  readonly folders: InstanceFolders;
  readonly makeBackend: () => Promise<MakeBackend>;
  readonly onConnections: (change: 1 | -1) => void;
}

interface Open {
  readonly backend: SshBackend;
  readonly door: Door;
}

/** The name that rsync logs in with (docs/service/commands.md#copy-to-this-computer). */
const user = 'vastai_kaalia';

/**
 * Serves the files of an instance, also of a stopped one: a real rsync daemon behind SSH. It serves the files as
 * they are when it is opened, because the home of a simulated machine has another path than that of a real one.
 */
export class CopyHosts {
  private readonly opened = new Map<number, Open>();

  constructor(private readonly options: CopyHostsOptions) {}

  /** Returns the port; the service makes a new one for each copy. */
  async open(instance: InstanceState): Promise<number> {
    const make = await this.options.makeBackend();
    const machine = await prepare(instance, this.options.folders.ensure(instance.id));
    this.close(instance.id);
    const { world, onConnections } = this.options;
    const environment = { PATH: process.env['PATH'] ?? '', HOME: machine.home, LC_ALL: 'C.UTF-8' };
    const report = (error: unknown) => {
      world.report(error);
    };
    const backend = make({ user, machine, environment, keys: instance.keys, report });
    const door = new Door({
      serve: (socket) => {
        backend.serve(socket);
      },
      lastProxyPort: null,
      lastDirectPorts: {},
      direct: [],
      pair: false,
      onConnections,
    });
    this.opened.set(instance.id, { backend, door });
    return (await door.open()).proxyPort;
  }

  close(instanceId: number): void {
    const open = this.opened.get(instanceId);
    this.opened.delete(instanceId);
    open?.door.close();
    open?.backend.close();
  }

  dispose(): void {
    [...this.opened.keys()].forEach((id) => {
      this.close(id);
    });
  }
}

async function prepare(instance: InstanceState, home: string): Promise<MachineDir> {
  const dir = path.join(`${home}.machine`, 'host');
  const disk = path.join(dir, 'disk');
  rmSync(disk, { recursive: true, force: true });
  mkdirSync(disk, { recursive: true, mode: 0o700 });
  // A link to the home would do, but a daemon follows none that leads out of what it serves.
  await run('cp', '-RPpl', home, path.join(disk, 'root'));
  // Files of the instance that are not in its home, by their absolute paths.
  const outside = path.join(`${home}.machine`, 'outside');
  if (existsSync(outside)) {
    await run('cp', '-RPpl', `${outside}/.`, disk);
  }
  await run('rsync', '--version').catch(() => {
    throw new ServiceError(
      400,
      'no_rsync',
      'The simulator needs the program rsync on this computer for that.',
    );
  });
  const name = `C.${instance.id}`;
  const config = path.join(dir, 'rsyncd.conf');
  writeFileSync(config, configText(name, disk), { mode: 0o600 });
  const hostKeyFile = keptHostKey(dir, `host of ${name}`);
  const sessionScript = path.join(dir, 'session.sh');
  writeProgram(sessionScript, sessionText(config));
  const hostKey = readFileSync(hostKeyFile, 'utf8');
  return { dir, home: dir, bin: dir, hostKeyFile, hostKey, sessionScript, terminalScript: sessionScript };
}

function configText(name: string, disk: string): string {
  return [
    'use chroot = no',
    'log file = /dev/null',
    // It would become another user otherwise, who may not read the home.
    ...(process.getuid?.() === 0 ? ['uid = 0', 'gid = 0'] : []),
    `[${name}]`,
    `path = ${disk}`,
    'read only = yes',
    '',
  ].join('\n');
}

function sessionText(config: string): string {
  return program(
    'if [ "$SSH_ORIGINAL_COMMAND" = "rsync --server --daemon ." ]; then',
    `  exec rsync --server --daemon ${shellWord(`--config=${config}`)} .`,
    'fi',
    'echo "This account only copies." >&2',
    'exit 1',
  );
}

function run(program: string, ...args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        resolve();
      } else {
        reject(new Error(`${program} ended with code ${String(code)}.`));
      }
    });
  });
}
