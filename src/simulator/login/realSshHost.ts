import { randomBytes } from 'node:crypto';
import { containerPort } from '../instances/envFlags';
import type { InstanceFolders } from '../instances/instanceFolders';
import { runtypePorts } from '../instances/runtype';
import type { OpenPorts, SshHost } from '../instances/sshHost';
import { DisposableStore } from '../../util/disposable';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { CopyHosts } from './copyHosts';
import { Door, type DoorOptions } from './door';
import { startGuard } from './guardOfJob';
import { prepareMachine } from './machineDir';
import { lateKeySeconds, latePortSeconds } from './manners';
import { endProcessesOf } from './processes';
import { sessionEnvironment } from './sessionEnvironment';
import type { MakeBackend, SshBackend } from './sshBackend';

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
    /** How many connections there are, told at each change. */
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
    const machine = prepareMachine(instance, slice, this.folders.ensure(instance.id));
    const token = `${instance.id}-${randomBytes(8).toString('hex')}`;
    const environment = sessionEnvironment(this.world, instance, machine, token);
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

  /** What comes late comes so much later by the simulator's time. */
  private later(entry: Running, seconds: number, run: () => void): void {
    const { clock } = this.world;
    entry.timers.add(clock.schedule(run, clock.shortened(seconds * 1000)));
  }

  /** Another program may have taken the port in between. */
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
