import { randomBytes } from 'node:crypto';
import type { ArmedTimer, Lease, LeaseAction, LeaseState, LeaseTerm } from '../../model/instances/lease';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { DiskList } from '../../shared/diskList';
import type { Accounts, WindowHub } from '../ports';
import type { LeaseRow, LeaseStorage, UnreadableLease } from './leaseFiles';

export interface InstanceLeasesDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Where those of an account are kept. */
  readonly storage: (accountKey: string) => LeaseStorage;
}

/** A lease as it is now, and when a request for the one before it left, where one did. */
export interface ChangedLease {
  readonly lease: Lease;
  readonly sentAt: number | undefined;
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

  /** Schedules whose files can't be read. */
  get unreadable(): readonly UnreadableLease[] {
    return this.list.files?.unreadable ?? [];
  }

  /** Reads them again, here and in the other windows. Never rejects. */
  refresh(): Promise<void> {
    return this.list.tellChanged(this.list.files);
  }

  /**
   * Takes the place of the one there was; its timer on the machine, where one was not ended, stays in sight. Throws where
   * nobody is signed in or the disk refuses.
   */
  async set(instanceId: number, action: LeaseAction, term: LeaseTerm): Promise<ChangedLease> {
    const files = this.files();
    const id = randomBytes(4).toString('hex');
    const setAt = this.deps.clock.now();
    const before = await this.current(files, instanceId);
    const armed = before?.armed && { action: before.action, ...before.armed };
    return this.replace({ id, instanceId, action, term, setAt, armed }, files);
  }

  /** The same lease, later. An idle one counts anew from now. */
  async extend(instanceId: number, byMs: number): Promise<ChangedLease | undefined> {
    const row = this.find(instanceId);
    if (!row) {
      return undefined;
    }
    const { lease } = row;
    const now = this.deps.clock.now();
    const term: LeaseTerm =
      lease.term.kind === 'idle' ? lease.term : { kind: 'at', at: Math.max(lease.term.at, now) + byMs };
    return this.replace({ ...lease, id: randomBytes(4).toString('hex'), term, setAt: now });
  }

  /** Writes the new word first, so that either the window that acts sees it, or this one sees what left. */
  private async replace(lease: Lease, files = this.files()): Promise<ChangedLease> {
    const before = await this.current(files, lease.instanceId);
    await files.put(lease);
    const sentAt = sentFor(before, await files.state(lease.instanceId));
    await this.list.tellChanged(files);
    return { lease, sentAt };
  }

  /**
   * What the machine itself has proved, or that it has not; for this very lease alone. False where it
   * was cancelled or changed meanwhile.
   */
  async setArmed(lease: Lease, armed: ArmedTimer | undefined): Promise<boolean> {
    const { files } = this.list;
    const row = await files?.read(lease.instanceId);
    if (!files || row?.lease.id !== lease.id) {
      return false;
    }
    if (row.lease.isOnlyOnInstance === true && !armed) {
      await this.cancel(lease.instanceId, files);
    } else {
      await this.write({ ...row.lease, armed }, files);
    }
    return true;
  }

  /** The user's word. Returns when the request to the service left, where it did before this. */
  async cancel(instanceId: number, files = this.list.files): Promise<number | undefined> {
    const before = await this.current(files, instanceId);
    const state = await files?.remove(instanceId);
    await this.list.tellChanged(files);
    return sentFor(before, state);
  }

  /** Canceled by the user, but the timer on the instance could not be ended: it stays in sight. */
  async leaveToInstance(instanceId: number): Promise<number | undefined> {
    const { files } = this.list;
    const before = await this.current(files, instanceId);
    if (before?.armed) {
      const { action = before.action } = before.armed;
      const id = randomBytes(4).toString('hex');
      const { sentAt } = await this.replace({ ...before, id, action, isOnlyOnInstance: true }, files);
      return sentAt;
    }
    return this.cancel(instanceId, files);
  }

  /** For the window that carries leases out; what the user set meanwhile stays. */
  async finish({ id, instanceId }: Lease): Promise<void> {
    const { files } = this.list;
    if ((await files?.read(instanceId))?.lease.id === id) {
      await this.cancel(instanceId, files);
    }
  }

  /**
   * For the window that carries leases out, right before its request leaves: false where the user changed or
   * canceled the lease. That the request leaves is written first, so a later cancel knows of it.
   */
  async isAboutToSend(lease: Lease, state: LeaseState): Promise<boolean> {
    await this.putState(lease.instanceId, { ...state, sentAt: this.deps.clock.now() });
    return (await this.reread(lease.instanceId))?.lease.id === lease.id;
  }

  /** For the window that carries leases out: what is on disk now, the user's last word. */
  async reread(instanceId: number): Promise<LeaseRow | undefined> {
    return this.list.files?.read(instanceId);
  }

  /** For the window that carries leases out; false where the user changed or canceled the lease. */
  async amend(lease: Lease): Promise<boolean> {
    const { files } = this.list;
    if (!files || (await files.read(lease.instanceId))?.lease.id !== lease.id) {
      return false;
    }
    await this.write(lease, files);
    return true;
  }

  /** For the window that carries leases out; a lease that was cancelled meanwhile leaves nothing behind. */
  async putState(instanceId: number, state: LeaseState): Promise<void> {
    const { files } = this.list;
    if ((await files?.read(instanceId))?.lease.id !== state.leaseId) {
      return;
    }
    await files?.putState(instanceId, state);
    await this.list.tellChanged(files);
  }

  dispose(): void {
    this.list.dispose();
  }

  private async write(lease: Lease, files: LeaseStorage): Promise<void> {
    await files.put(lease);
    await this.list.tellChanged(files);
  }

  /** Of the account that is active now. What reads first takes these along: another account may be active by then. */
  private files(): LeaseStorage {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('Sign in first.'), { nextStep: 'signIn' });
    }
    return files;
  }

  /** What is on disk, or was when it could be read last. */
  private async current(files: LeaseStorage | undefined, instanceId: number): Promise<Lease | undefined> {
    const row = await files?.read(instanceId).catch(() => {
      return files === this.list.files ? this.find(instanceId) : undefined;
    });
    return row?.lease;
  }
}

function sentFor(lease: Lease | undefined, state: LeaseState | undefined): number | undefined {
  return lease !== undefined && state?.leaseId === lease.id ? state.sentAt : undefined;
}
