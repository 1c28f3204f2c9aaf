import { randomBytes } from 'node:crypto';
import type { ArmedTimer, Lease, LeaseAction, LeaseState, LeaseTerm } from '../../model/instances/lease';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { DiskList } from '../diskList';
import type { Accounts, WindowHub } from '../ports';
import type { LeaseRow, LeaseStorage } from './leaseFiles';

export interface InstanceLeasesDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Where those of an account are kept. */
  readonly storage: (accountKey: string) => LeaseStorage;
}

/** When instances of the active account are to be stopped or destroyed: the same in all windows, kept on disk. */
export class InstanceLeases implements Disposable {
  private readonly list: DiskList<LeaseRow, LeaseStorage>;

  constructor(private readonly deps: InstanceLeasesDeps) {
    this.list = new DiskList({
      ...deps,
      topic: 'leases.changed',
      open: deps.storage,
      unreadable: 'What is to be stopped or destroyed later could not be read',
    });
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  get rows(): readonly LeaseRow[] {
    return this.list.rows;
  }

  /** Why they could not be read from disk; those read before are kept. */
  get error(): unknown {
    return this.list.error;
  }

  /** Settles once they are those of the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(instanceId: number): LeaseRow | undefined {
    return this.list.rows.find(({ lease }) => lease.instanceId === instanceId);
  }

  /** Takes the place of the one there was. Throws where nobody is signed in or the disk refuses. */
  async set(instanceId: number, action: LeaseAction, term: LeaseTerm): Promise<Lease> {
    const lease = {
      id: randomBytes(4).toString('hex'),
      instanceId,
      action,
      term,
      setAt: this.deps.clock.now(),
    };
    await this.put(lease);
    return lease;
  }

  /** The same lease, later. An idle one counts anew from now. */
  async extend(instanceId: number, byMs: number): Promise<Lease | undefined> {
    const row = this.find(instanceId);
    if (!row) {
      return undefined;
    }
    const { lease } = row;
    const now = this.deps.clock.now();
    const term: LeaseTerm =
      lease.term.kind === 'idle' ? lease.term : { kind: 'at', at: Math.max(lease.term.at, now) + byMs };
    const extended = { ...lease, id: randomBytes(4).toString('hex'), term, setAt: now };
    await this.put(extended);
    return extended;
  }

  /**
   * What the machine itself has proved, or that it has not; for this very lease alone. False where it
   * was cancelled or changed meanwhile.
   */
  async setArmed(lease: Lease, armed: ArmedTimer | undefined): Promise<boolean> {
    const row = await this.list.files?.read(lease.instanceId);
    const isCurrent = row?.lease.id === lease.id;
    if (isCurrent) {
      const { id, action, term, setAt } = row.lease;
      const plain = { id, instanceId: lease.instanceId, action, term, setAt };
      await this.put(armed ? { ...plain, armed } : plain);
    }
    return isCurrent;
  }

  async cancel(instanceId: number): Promise<void> {
    await this.list.files?.remove(instanceId);
    await this.list.tellChanged();
  }

  /** For the window that carries leases out: what is on disk now, the user's last word. */
  async reread(instanceId: number): Promise<LeaseRow | undefined> {
    return this.list.files?.read(instanceId);
  }

  /** For the window that carries leases out. */
  async put(lease: Lease): Promise<void> {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('Sign in first.'), { nextStep: 'signIn' });
    }
    await files.put(lease);
    await this.list.tellChanged();
  }

  /** For the window that carries leases out; a lease that was cancelled meanwhile leaves nothing behind. */
  async putState(instanceId: number, state: LeaseState): Promise<void> {
    const { files } = this.list;
    if ((await files?.read(instanceId))?.lease.id !== state.leaseId) {
      return;
    }
    await files?.putState(instanceId, state);
    await this.list.tellChanged();
  }

  dispose(): void {
    this.list.dispose();
  }
}
