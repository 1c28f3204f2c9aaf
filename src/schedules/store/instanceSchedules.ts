import type { ArmedTimer, Lease, LeaseAction, LeaseState, LeaseTerm } from '../model/schedule';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { DiskList } from '../../shared/diskList';
import { newOwnId } from '../../store/idFolder';
import type { Accounts, WindowHub } from '../../store/ports';
import type { LeaseRow, LeaseStorage, UnreadableLease } from './scheduleFiles';
import { RowIndex } from '../../util/rowIndex';

export interface InstanceLeasesDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the storage of an account. */
  readonly storage: (accountKey: string) => LeaseStorage;
}

/** A lease after a change, and when a request for the previous one left, if it did. */
export interface ChangedLease {
  readonly lease: Lease;
  readonly sentAt: number | undefined;
}

/** Scheduled stops and destroys of the active account, on disk and the same in all windows. */
export class InstanceLeases implements Disposable {
  private readonly list: DiskList<LeaseRow, LeaseStorage>;
  private readonly index = new RowIndex<LeaseRow, number>(({ lease }) => lease.instanceId);

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

  /** The rows as text, which is the same as long as they are. */
  get text(): string {
    return this.list.text;
  }

  /** The error of the last read from disk; rows that were read before are kept. */
  get error(): unknown {
    return this.list.error;
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(instanceId: number): LeaseRow | undefined {
    return this.index.find(this.list.rows, instanceId);
  }

  /** Schedules whose files can't be read. */
  get unreadable(): readonly UnreadableLease[] {
    return this.list.files?.unreadable ?? [];
  }

  /** Looks whether another window has changed a schedule without saying so. Never rejects. */
  rereadAll(): Promise<void> {
    return this.list.reread();
  }

  /** Reads the schedules again, here and in the other windows. Never rejects. */
  refresh(): Promise<void> {
    return this.list.tellChanged(this.list.files);
  }

  /**
   * Sets a schedule in place of the present one; a timer on the machine that could not be ended stays visible. Throws
   * if no user is signed in or the disk refuses.
   */
  async set(instanceId: number, action: LeaseAction, term: LeaseTerm): Promise<ChangedLease> {
    const files = this.files();
    const id = newOwnId();
    const setAt = this.deps.clock.now();
    const before = await this.current(files, instanceId);
    const armed = before?.armed && { action: before.action, ...before.armed };
    return this.replace({ id, instanceId, action, term, setAt, armed }, files);
  }

  /** Schedules an instance of any account, unless it has a schedule. Throws where the disk refuses. */
  async setFirst(
    accountKey: string,
    instanceId: number,
    action: LeaseAction,
    term: LeaseTerm,
  ): Promise<void> {
    const files = this.list.filesOf(accountKey);
    if ((await this.current(files, instanceId)) === undefined) {
      const id = newOwnId();
      await this.replace({ id, instanceId, action, term, setAt: this.deps.clock.now() }, files);
    }
  }

  /**
   * Puts the schedule back that preceded one, in any account; without one it is canceled. A newer decision of the user
   * stays.
   */
  async putBack(
    accountKey: string,
    instanceId: number,
    isReplaced: (lease: Lease) => boolean,
    before: Lease | undefined,
  ): Promise<void> {
    const files = this.list.filesOf(accountKey);
    const lease = await this.current(files, instanceId);
    if (lease && isReplaced(lease)) {
      await (before ? this.replace(before, files) : this.cancel(instanceId, files));
    }
  }

  /** Postpones a lease. For an idle lease, counting restarts now. */
  async extend(instanceId: number, byMs: number): Promise<ChangedLease | undefined> {
    const row = this.find(instanceId);
    if (!row) {
      return undefined;
    }
    const { lease } = row;
    const now = this.deps.clock.now();
    const term: LeaseTerm =
      lease.term.kind === 'idle' ? lease.term : { kind: 'at', at: Math.max(lease.term.at, now) + byMs };
    return this.replace({ ...lease, id: newOwnId(), term, setAt: now });
  }

  /** Writes the new decision first: then either the acting window sees it, or this window sees what left. */
  private async replace(lease: Lease, files = this.files()): Promise<ChangedLease> {
    const before = await this.current(files, lease.instanceId);
    await files.put(lease);
    const sentAt = sentFor(before, await files.state(lease.instanceId));
    await this.list.tellChanged(files);
    return { lease, sentAt };
  }

  /**
   * Records whether the timer on the machine was proved, for this exact lease. Returns false if the lease was canceled
   * or changed in between.
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

  /** Records the user's cancellation. Returns when the request to the service left, if it was before this. */
  async cancel(instanceId: number, files = this.list.files): Promise<number | undefined> {
    const before = await this.current(files, instanceId);
    const state = await files?.remove(instanceId);
    await this.list.tellChanged(files);
    return sentFor(before, state);
  }

  /** Records a canceled lease whose timer on the instance could not be ended, so that it stays visible. */
  async leaveToInstance(instanceId: number): Promise<number | undefined> {
    const { files } = this.list;
    const before = await this.current(files, instanceId);
    if (before?.armed) {
      const { action = before.action } = before.armed;
      const id = newOwnId();
      const { sentAt } = await this.replace({ ...before, id, action, isOnlyOnInstance: true }, files);
      return sentAt;
    }
    return this.cancel(instanceId, files);
  }

  /** For the window that carries out leases: removes a lease; a newer decision of the user stays. */
  async finish({ id, instanceId }: Lease): Promise<void> {
    const { files } = this.list;
    if ((await files?.read(instanceId))?.lease.id === id) {
      await this.cancel(instanceId, files);
    }
  }

  /**
   * For the window that carries out leases, right before its request leaves: returns false if the user changed or
   * canceled the lease. It first stores that the request leaves, so that a later cancel knows.
   */
  async isAboutToSend(lease: Lease, state: LeaseState): Promise<boolean> {
    await this.putState(lease.instanceId, { ...state, sentAt: this.deps.clock.now() });
    return (await this.reread(lease.instanceId))?.lease.id === lease.id;
  }

  /** For the window that carries out leases: reads the lease from disk, including the user's last decision. */
  async reread(instanceId: number): Promise<LeaseRow | undefined> {
    return this.list.files?.read(instanceId);
  }

  /** For the window that carries out leases: returns false if the user changed or canceled the lease. */
  async amend(lease: Lease): Promise<boolean> {
    const { files } = this.list;
    if (!files || (await files.read(lease.instanceId))?.lease.id !== lease.id) {
      return false;
    }
    await this.write(lease, files);
    return true;
  }

  /** For the window that carries out leases: stores progress; a canceled lease leaves nothing behind. */
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

  /**
   * Returns the storage of the active account. Code that reads first must take this along: another account may be
   * active afterwards.
   */
  private files(): LeaseStorage {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('Sign in first.'), { nextStep: 'signIn' });
    }
    return files;
  }

  /** Returns the lease on disk, or the last one read if the disk refuses. */
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
