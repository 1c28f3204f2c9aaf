import { randomBytes } from 'node:crypto';
import { containerPort } from '../instances/envFlags';
import type { InstanceFolders } from '../instances/instanceFolders';
import { runtypePorts } from '../instances/runtype';
import type { OpenPorts, SshHost } from '../instances/sshHost';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { Door } from './door';
import { prepareMachine } from './machineDir';
import { endProcessesOf } from './processes';
import { sessionEnvironment } from './sessionEnvironment';
import type { MakeBackend, SshBackend } from './sshBackend';

interface Running {
  readonly backend: SshBackend | undefined;
  readonly door: Door;
  readonly token: string;
}

/** Real SSH for every running instance, on loopback ports of its own. */
export class RealSshHost implements SshHost {
  private readonly running = new Map<number, Running>();

  constructor(
    private readonly world: World,
    private readonly folders: InstanceFolders,
    private readonly makeBackend: () => Promise<MakeBackend>,
    /** How many connections there are, told at each change. */
    private readonly onConnections: (change: 1 | -1) => void,
  ) {}

  async open(instance: InstanceState): Promise<OpenPorts> {
    this.close(instance);
    const make = await this.makeBackend();
    const slice = this.world.market.sliceOf(instance);
    const machine = prepareMachine(instance, slice, this.folders.ensure(instance.id));
    const token = `${instance.id}-${randomBytes(8).toString('hex')}`;
    const backend = instance.access.ssh
      ? make({
          machine,
          environment: sessionEnvironment(this.world, instance, machine, token),
          keys: instance.keys,
          report: (error) => this.world.report(error),
        })
      : undefined;
    const door = new Door({
      serve: (socket) => (backend ? backend.serve(socket) : socket.destroy()),
      lastProxyPort: instance.proxyPort,
      lastDirectPorts: instance.directPorts,
      direct: this.directPorts(instance),
      pair: instance.access.jupyter,
      onConnections: this.onConnections,
    });
    const entry = { backend, door, token };
    this.running.set(instance.id, entry);
    const ports = await door.open();
    if (this.running.get(instance.id) !== entry) {
      // Stopped while it was opening.
      end(entry);
    }
    return ports;
  }

  close(instance: InstanceState): void {
    const entry = this.running.get(instance.id);
    this.running.delete(instance.id);
    if (entry) {
      end(entry);
    }
  }

  keysChanged(instance: InstanceState): void {
    this.running.get(instance.id)?.backend?.keysChanged(instance.keys);
  }

  dispose(): Promise<void> {
    const entries = [...this.running.values()];
    this.running.clear();
    entries.forEach(end);
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

function end(entry: Running): void {
  entry.door.close();
  entry.backend?.close();
  endProcessesOf(entry.token);
}
