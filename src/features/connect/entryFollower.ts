import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Keeps the entries of running instances at the address that the list shows: after a stop and a start the port is
 * another one, and plain `ssh` or an open window would reach a neighbour.
 */
export class EntryFollower implements Disposable {
  private readonly subscription: Disposable;
  private following: Promise<void> = Promise.resolve();

  constructor(private readonly deps: Deps) {
    this.subscription = deps.fleet.onDidChange(() => {
      this.following = this.following
        .then(() => this.follow())
        .catch((error: unknown) => {
          deps.log.warn(`An SSH entry could not follow its instance: ${String(error)}`);
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
    for (const instance of state.value.instances) {
      // While it starts, its addresses appear one after the other.
      if (stateOf(instance, fleet.facts(instance.id), clock.now()) === 'running') {
        const endpoint = await ssh.follow(active, instance);
        if (endpoint) {
          log.info(`The SSH entry of instance ${instance.id} follows it to port ${endpoint.port}`);
        }
      }
    }
  }
}
