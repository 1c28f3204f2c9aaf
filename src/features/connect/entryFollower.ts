import type { Instance } from '../../model/instances/instance';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { UnsafeValueError } from '../../ssh/validate';
import type { Account } from '../../store/accounts/accounts';
import type { Disposable } from '../../util/disposable';
import type { LastFolders } from './folders';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Keeps the entries of running instances at their listed address: a restart changes the port, and plain `ssh` or an
 * open window would reach a neighbor.
 */
export class EntryFollower implements Disposable {
  private readonly subscription: Disposable;
  private following: Promise<void> = Promise.resolve();
  private readonly recycled: RecycledContainers;
  private readonly seen = new Map<number, string>();

  constructor(
    private readonly deps: Deps,
    folders: Pick<LastFolders, 'forget'>,
  ) {
    this.recycled = new RecycledContainers(deps, folders);
    this.subscription = deps.fleet.onDidChange(() => {
      this.following = this.following
        .then(() => this.follow())
        .catch((error: unknown) => {
          deps.log.error('SSH entries could not follow their instances', error);
        });
    });
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async follow(): Promise<void> {
    const { accounts, fleet, ssh, clock, log } = this.deps;
    const { active } = accounts;
    const { state } = fleet;
    if (!active || state.kind !== 'ready' || state.error !== undefined) {
      return;
    }
    const moved: { readonly instance: Instance; readonly addresses: string }[] = [];
    for (const instance of state.value.instances) {
      await this.recycled.check(active, instance.id);
      const { publicIp, ports, sshHost, sshPort } = instance;
      const addresses = JSON.stringify([active.key, publicIp, ports, sshHost, sshPort]);
      // During a start, the addresses appear one after the other.
      const isRunning = stateOf(instance, fleet.facts(instance.id), clock.now()) === 'running';
      if (isRunning && this.seen.get(instance.id) !== addresses) {
        moved.push({ instance, addresses });
      }
    }
    // Of a thousand instances, few have an entry.
    const entries = new Set(moved.length === 0 ? [] : await ssh.entries());
    for (const { instance, addresses } of moved) {
      this.seen.set(instance.id, addresses);
      try {
        await (entries.has(ssh.aliasOf(active, instance.id)) ? this.followOne(active, instance) : undefined);
      } catch (error) {
        // Unusable addresses stay unusable; other failures are retried.
        if (!(error instanceof UnsafeValueError)) {
          this.seen.delete(instance.id);
        }
        log.warn(`The SSH entry of instance ${instance.id} could not follow it: ${String(error)}`);
      }
    }
  }

  private async followOne(account: Account, instance: Instance): Promise<void> {
    const endpoint = await this.deps.ssh.follow(account, instance);
    if (endpoint) {
      this.deps.log.info(`The SSH entry of instance ${instance.id} follows it to port ${endpoint.port}`);
    }
  }
}

type RecycledContainersDeps = Pick<Services, 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Removes the host key of a recycled container, since the new one has another, and the folders that were opened in it,
 * which are gone. Removed when the request was accepted, and again when the old container has ended: until then a
 * reconnecting window may store the old key again. Recycles from before this window opened are ignored.
 */
class RecycledContainers {
  private readonly begunAt: number;
  private readonly seen = new Map<number, string>();

  constructor(
    private readonly deps: RecycledContainersDeps,
    private readonly folders: Pick<LastFolders, 'forget'>,
  ) {
    this.begunAt = deps.clock.now();
  }

  async check(account: Account, instanceId: number): Promise<void> {
    const request = this.deps.fleet.facts(instanceId).lastRequest;
    if (request?.kind !== 'recycle') {
      return;
    }
    const step = `${request.at} ${String(request.tookEffect === true)}`;
    if (request.at < this.begunAt || this.seen.get(instanceId) === step) {
      return;
    }
    this.seen.set(instanceId, step);
    const alias = this.deps.ssh.aliasOf(account, instanceId);
    await this.deps.ssh.forgetHostKey(alias);
    await this.folders.forget([alias]);
    this.deps.log.info(`Forgot the host key of instance ${instanceId}, whose container is created again`);
  }
}
