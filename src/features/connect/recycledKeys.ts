import type { Services } from '../../services';
import type { Account } from '../../store/ports';

type Deps = Pick<Services, 'fleet' | 'ssh' | 'clock' | 'log'>;

/**
 * Forgets the host key of a container that we had created again, since the new one makes another. Forgotten when the
 * request was taken, and again when the old container is seen to have ended: until then a window that reconnects may
 * store the old key once more. A recycle before this window began is settled.
 */
export class RecycledKeys {
  private readonly begunAt: number;
  private readonly seen = new Map<number, string>();

  constructor(private readonly deps: Deps) {
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
    await this.deps.ssh.forgetHostKey(this.deps.ssh.aliasOf(account, instanceId));
    this.deps.log.info(`Forgot the host key of instance ${instanceId}, whose container is created again`);
  }
}
