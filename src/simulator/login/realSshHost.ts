import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DisposableStore } from '../../util/disposable';
import { bundledEngine, type EngineProgram } from '../engine/engineProgram';
import { containerPort, variablesOf } from '../instances/envFlags';
import type { InstanceFolders } from '../instances/instanceFolders';
import { runtypePorts } from '../instances/runtype';
import type { OpenPorts, SshHost } from '../instances/sshHost';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { CopyHosts } from './copyHosts';
import { Door, type DoorOptions } from './door';
import { startGuard } from './guardOfJob';
import { prepareMachine, type MachineDir } from './machineDir';
import { lateKeySeconds, latePortSeconds } from './manners';
import { ownTmux } from './ownTmux';
import type { MakeBackend, SshBackend } from './sshBackend';

/** A model of a few billion parameters, loaded in a tenth of the time that it takes: the demo runs at four times the speed. */
const engineStartMs = 60_000;

interface Running {
  readonly backend: SshBackend | undefined;
  readonly token: string;
  door: Door;
  readonly timers: DisposableStore;
}

/** Real SSH for every running instance, on loopback ports of its own. */
export class RealSshHost implements SshHost {
  private readonly running = new Map<number, Running>();
  private readonly copies: CopyHosts;

  constructor(
    private readonly world: World,
    private readonly folders: InstanceFolders,
    private readonly makeBackend: () => Promise<MakeBackend>,
    /** Called at each new and each ended connection. */
    private readonly onConnections: (change: 1 | -1) => void,
  ) {
    this.copies = new CopyHosts({ world, folders, makeBackend, onConnections });
  }

  openCopies(instance: InstanceState): Promise<number> {
    return this.copies.open(instance);
  }

  async open(instance: InstanceState): Promise<OpenPorts> {
    this.close(instance);
    const make = await this.makeBackend();
    const slice = this.world.market.sliceOf(instance);
    const machine = prepareMachine(instance, slice, this.folders.ensure(instance.id), this.engine());
    const token = `${instance.id}-${randomBytes(8).toString('hex')}`;
    const tmux = ownTmux();
    const environment = {
      ...sessionEnvironment(this.world, instance, machine, token),
      TMUX_TMPDIR: tmux.folder,
    };
    const backend = instance.access.ssh
      ? make({
          user: 'root',
          machine,
          environment,
          keys: instance.manner === 'lateKey' || instance.manner === 'refusedKey' ? [] : instance.keys,
          report: (error) => this.world.report(error),
        })
      : undefined;
    const doorOptions: DoorOptions = {
      serve: (socket) => (backend ? backend.serve(socket) : socket.destroy()),
      lastProxyPort: instance.proxyPort,
      lastDirectPorts: instance.directPorts,
      direct: this.directPorts(instance),
      pair: instance.access.jupyter,
      onConnections: this.onConnections,
    };
    const entry: Running = {
      backend,
      token,
      door: new Door(doorOptions),
      timers: new DisposableStore(),
    };
    entry.timers.add(tmux);
    this.running.set(instance.id, entry);
    const ports = await entry.door.open();
    if (this.running.get(instance.id) !== entry) {
      // Stopped while it was opening.
      end(entry);
    } else {
      const guard = backend && startGuard(instance.onstart, machine.home, environment);
      if (guard) {
        entry.timers.add(guard);
      }
      this.behave(instance, entry, { ...doorOptions, ...lastOf(ports) });
    }
    return ports;
  }

  private engine(): EngineProgram | undefined {
    const { clock, options } = this.world;
    const script = (options.engineScript ?? bundledEngine)();
    const startMs = options.engineStartMs ?? clock.shortened(engineStartMs);
    return script === undefined ? undefined : { script, sceneFile: this.folders.engineScene(), startMs };
  }

  private behave(instance: InstanceState, entry: Running, again: DoorOptions): void {
    if (instance.manner === 'lateKey') {
      this.keysChanged(instance);
    } else if (instance.manner === 'latePort') {
      entry.door.close();
      this.later(entry, latePortSeconds, () => {
        entry.door = new Door(again);
        entry.door.open().then(
          (ports) => (this.running.get(instance.id) === entry ? this.moved(instance, ports) : end(entry)),
          (error: unknown) => this.world.report(error),
        );
      });
    }
  }

  /** Runs a late step after its delay by the simulator's time. */
  private later(entry: Running, seconds: number, run: () => void): void {
    const { clock } = this.world;
    entry.timers.add(clock.schedule(run, clock.shortened(seconds * 1000)));
  }

  /** Another program may use the port by now. */
  private moved(instance: InstanceState, { proxyPort, directPorts }: OpenPorts): void {
    instance.proxyPort = proxyPort;
    instance.directPorts = { ...directPorts };
    this.world.changed();
  }

  close(instance: InstanceState): void {
    const entry = this.running.get(instance.id);
    this.running.delete(instance.id);
    this.copies.close(instance.id);
    if (entry) {
      end(entry);
    }
  }

  keysChanged(instance: InstanceState): void {
    const entry = this.running.get(instance.id);
    const bring = () => entry?.backend?.keysChanged(instance.keys);
    if (entry && instance.manner === 'lateKey') {
      this.later(entry, lateKeySeconds, bring);
    } else if (instance.manner !== 'refusedKey') {
      bring();
    }
  }

  dispose(): Promise<void> {
    const entries = [...this.running.values()];
    this.running.clear();
    entries.forEach(end);
    this.copies.dispose();
    return Promise.resolve();
  }

  /** None on a machine that has no ports to give: it is reached through the proxy alone. */
  private directPorts(instance: InstanceState): readonly string[] {
    const { machine } = this.world.market.sliceOf(instance);
    const asked = Object.keys(instance.env).flatMap((key) => containerPort(key) ?? []);
    const wanted = new Set([...runtypePorts(instance.access), ...asked.filter((port) => port !== '22/tcp')]);
    return machine.ports > 0 ? [...wanted].filter((port) => port.endsWith('/tcp')) : [];
  }
}

function lastOf({ proxyPort, directPorts }: OpenPorts) {
  return { lastProxyPort: proxyPort, lastDirectPorts: directPorts };
}

function end(entry: Running): void {
  entry.timers.dispose();
  entry.door.close();
  entry.backend?.close();
  endProcessesOf(entry.token);
}

/**
 * Ends all that was started in a machine and is still there, also what detached
 * itself: each process carries the machine's token in its environment. Only where
 * `/proc` exists (Linux); elsewhere the processes end with their connections.
 */
function endProcessesOf(token: string): void {
  const mark = `SIMULATED_MACHINE=${token}`;
  for (const name of namesIn('/proc')) {
    const pid = Number(name);
    if (Number.isInteger(pid) && pid !== process.pid && environmentOf(pid).includes(mark)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended in between.
      }
    }
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Ended, or of another user: not ours.
    return [];
  }
}

/** Set by the machine, never by a template. */
const reserved = ['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'TERM'];
/**
 * A real shell of this computer would run or load what these name. A template must not reach that far:
 * its scripts are recorded and never run here.
 */
const dangerous =
  /^(BASH_.*|ENV|PROMPT_COMMAND|PS[0-4]|SHELLOPTS|BASHOPTS|IFS|LD_.*|DYLD_.*|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5.*|RUBYOPT|NODE_OPTIONS|GIT_.*|SSH_.*|SIMULATED_.*|CONTAINER_API_KEY)$/;
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The variables of a session: those of the renter, and those of the machine itself. */
function sessionEnvironment(
  world: World,
  instance: InstanceState,
  machine: MachineDir,
  token: string,
): Readonly<Record<string, string>> {
  const asked = [
    ...Object.entries(world.ports.accountEnv?.(instance.accountId) ?? {}),
    ...variablesOf(instance.env),
  ].filter(([name]) => !reserved.includes(name) && !dangerous.test(name));
  return {
    LANG: 'C.UTF-8',
    ...(instance.utf8 ? { LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'UTF-8' } : {}),
    ...Object.fromEntries(asked),
    // The folders that a template adds are between the machine's own programs and the system's.
    PATH: [machine.bin, instance.env['PATH'], systemPath].filter((part) => part).join(':'),
    HOME: machine.home,
    USER: 'root',
    LOGNAME: 'root',
    SHELL: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh',
    CONTAINER_API_KEY: instance.apiKey,
    CONTAINER_ID: String(instance.id),
    SIMULATOR_URL: world.baseUrl,
    SIMULATED_MACHINE: token,
    // The machine must not see who is logged in to the computer that simulates it.
    HOST_PROC: path.join(machine.dir, 'proc'),
    HOST_DEV: path.join(machine.dir, 'dev'),
    HOST_SYS: path.join(machine.dir, 'sys'),
  };
}
