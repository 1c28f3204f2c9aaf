import type { Instance } from '../../model/instances/instance';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { UnsafeValueError } from '../../ssh/validate';
import type { Account } from '../../store/ports';
import type { Disposable } from '../../util/disposable';
import { RecycledKeys } from './recycledKeys';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Keeps the entries of running instances at the address that the list shows: after a stop and a start the port is
 * another one, and plain `ssh` or an open window would reach a neighbour.
 */
export class EntryFollower implements Disposable {
  private readonly subscription: Disposable;
  private following: Promise<void> = Promise.resolve();
  private readonly recycled: RecycledKeys;
  private readonly seen = new Map<number, string>();

  constructor(private readonly deps: Deps) {
    this.recycled = new RecycledKeys(deps);
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
    const { accounts, fleet, clock, log } = this.deps;
    const { active } = accounts;
    const { state } = fleet;
    if (!active || state.kind !== 'ready' || state.error !== undefined) {
      return;
    }
    for (const instance of state.value.instances) {
      await this.recycled.look(active, instance.id);
      // While it starts, its addresses appear one after the other.
      if (stateOf(instance, fleet.facts(instance.id), clock.now()) === 'running') {
        try {
          await this.followOne(active, instance);
        } catch (error) {
          // Addresses that can't be used are the same next time; anything else is tried again.
          if (!(error instanceof UnsafeValueError)) {
            this.seen.delete(instance.id);
          }
          log.warn(`The SSH entry of instance ${instance.id} could not follow it: ${String(error)}`);
        }
      }
    }
  }

  /** Looks at the entry only where the addresses are not those of the last look: most lists change nothing here. */
  private async followOne(account: Account, instance: Instance): Promise<void> {
    const { publicIp, ports, sshHost, sshPort } = instance;
    const addresses = JSON.stringify([account.key, publicIp, ports, sshHost, sshPort]);
    if (this.seen.get(instance.id) === addresses) {
      return;
    }
    this.seen.set(instance.id, addresses);
    const endpoint = await this.deps.ssh.follow(account, instance);
    if (endpoint) {
      this.deps.log.info(`The SSH entry of instance ${instance.id} follows it to port ${endpoint.port}`);
    }
  }
}
