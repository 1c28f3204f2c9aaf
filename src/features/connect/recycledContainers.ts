import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import type { LastFolders } from './lastFolders';

type Deps = Pick<Services, 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Removes the host key of a recycled container, since the new one has another, and the folders that were opened in it,
 * which are gone. Removed when the request was accepted, and again when the old container has ended: until then a
 * reconnecting window may store the old key again. Recycles from before this window opened are ignored.
 */
export class RecycledContainers {
  private readonly begunAt: number;
  private readonly seen = new Map<number, string>();

  constructor(
    private readonly deps: Deps,
    private readonly folders: Pick<LastFolders, 'forget'>,
  ) {
    this.begunAt = deps.clock.now();
  }

  async look(account: Account, instanceId: number): Promise<void> {
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
