import type { Instance } from '../../model/instances/instance';
import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { noFacts } from '../../model/instances/instanceState';
import type { Account, Accounts, Fleet, OtherAccounts, WindowHub } from '../ports';
import type { Notices } from '../windows/notices';
import { IdleWatch, type IdleWatchDeps } from './idleWatch';
import { InstanceLeases } from './instanceLeases';
import type { LeaseRow, LeaseStorage } from './leaseFiles';
import type { AskKernels } from './kernelUse';
import { noticeOf } from './leaseNotice';
import { LeaseRunner } from './leaseRunner';
import { OtherList } from './otherList';

export interface OtherAccountLeasesDeps {
  readonly accounts: Accounts & OtherAccounts;
  readonly hub: WindowHub;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: (accountKey: string) => LeaseStorage;
  /** Returns the last listed instances of an account, for their names; never rejects. */
  readonly lastListed: (accountKey: string) => Promise<readonly Instance[]>;
  readonly kernelUse: AskKernels;
  /** What tells whether an instance is idle. */
  readonly idle: Pick<IdleWatchDeps, 'presence' | 'aliasOf' | 'file'>;
}

/** How often to check which other accounts are signed in (ms). */
const lookEveryMs = 60_000;

/** Carries out the schedules of signed-in accounts that are not active, in the leading window. */
export class OtherAccountLeases implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly running = new Map<string, Disposable>();
  /** True if an account has schedules, also one whose key can't be read now. */
  private hasSome = false;
  private begun = 0;
  /** The last look that ended, and only in the leading window. */
  private ended = 0;

  /** Fires after each look in the leading window. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: OtherAccountLeasesDeps) {
    this.owned.add(watchAccounts(deps.accounts, () => this.look()));
    this.owned.add(deps.hub.onDidChangeLeader(() => this.look()));
    this.look();
  }

  /** True if the next start must load the schedules; `undefined` during a look and in windows that don't lead. */
  get hasWork(): boolean | undefined {
    return this.ended === this.begun ? this.hasSome : undefined;
  }

  dispose(): void {
    this.owned.dispose();
    this.keepOnly(new Set());
  }

  private look(): void {
    this.begun += 1;
    this.lookNow(this.begun)
      .catch((error: unknown) => {
        this.deps.log.error('The schedules of the other accounts could not be looked at', error);
      })
      .finally(() => {
        const isWanted = !this.owned.isDisposed && this.deps.hub.isLeader;
        this.timer.value = isWanted ? this.deps.clock.schedule(() => this.look(), lookEveryMs) : undefined;
      });
  }

  /** Only the last look counts: one that began before a switch takes the wrong account for the active one. */
  private async lookNow(own: number): Promise<void> {
    const { accounts, hub } = this.deps;
    const { isLeader } = hub;
    const keys = isLeader ? (await accounts.known()).map(({ key }) => key) : [];
    const others = isLeader ? await accounts.others() : [];
    const have = await Promise.all(keys.map((key) => this.hasSchedules(key)));
    if (this.owned.isDisposed || own !== this.begun) {
      return;
    }
    const withSome = new Set(
      keys.filter((key, index) => key !== accounts.active?.key && have[index] === true),
    );
    const wanted = others.filter(({ key }) => withSome.has(key));
    this.hasSome = withSome.size > 0;
    this.keepOnly(new Set(wanted.map(({ key }) => key)));
    for (const account of wanted.filter(({ key }) => !this.running.has(key))) {
      this.running.set(account.key, this.run(account));
    }
    if (isLeader) {
      this.ended = own;
      this.changed.fire();
    }
  }

  /** Returns true as well if the schedules can't be read: they may exist, and other accounts must not wait. */
  private async hasSchedules(accountKey: string): Promise<boolean> {
    try {
      const files = this.deps.storage(accountKey);
      return (await files.list()).length > 0 || files.refused !== undefined;
    } catch (error) {
      this.deps.log.error('The schedules of another account could not be read', error);
      return true;
    }
  }

  private keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, one] of this.running) {
      if (!keys.has(key)) {
        this.running.delete(key);
        one.dispose();
      }
    }
  }

  private run(account: Account): Disposable {
    const store = new DisposableStore();
    const onDidChange = store.add(new Emitter<never>()).event;
    const shared = { ...this.deps, accounts: { active: account, onDidChange } };
    const leases = store.add(new InstanceLeases(shared));
    let known: readonly Instance[] = [];
    void this.deps.lastListed(account.key).then((instances) => (known = instances));
    const find = (id: number) =>
      [...(list.state.kind === 'ready' ? list.state.value.instances : []), ...known].find(
        (one) => one.id === id,
      );
    const list = store.add(
      new OtherList({
        ...this.deps,
        account,
        isWanted: () => unarmed(leases).length > 0,
        onUnread: () => this.tellUnwatched(account.key, leases, find),
      }),
    );
    store.add(leases.onDidChange(() => list.look()));
    const idle = store.add(new IdleWatch({ ...shared, ...this.deps.idle, fleet: list }));
    const fleet = unreadFleet(onDidChange, find, () => list.refresh());
    store.add(new LeaseRunner({ ...shared, fleet, leases, idle, isUnlisted: true }));
    void leases.ready.then(() => list.look());
    return store;
  }

  /** Reports idle schedules that can't be checked; otherwise a machine could run forever. */
  private tellUnwatched(accountKey: string, leases: InstanceLeases, find: Fleet['find']): void {
    const { notices, clock } = this.deps;
    for (const row of unarmed(leases)) {
      const about = { instance: find(row.lease.instanceId), now: clock.now() };
      notices.post(noticeOf(accountKey, row, 'unwatched', about));
    }
  }
}

/** Returns schedules that wait for idle time and have no timer on the instance. */
function unarmed({ rows }: InstanceLeases): readonly LeaseRow[] {
  return rows.filter(({ lease: { term, armed } }) => term.kind === 'idle' && armed === undefined);
}

/**
 * A fleet without its own reads: an instance is read right before it is changed, and a list provides only idle facts
 * and names.
 */
function unreadFleet(
  onDidChange: Fleet['onDidChange'],
  find: Fleet['find'],
  refresh: () => Promise<void>,
): Fleet {
  return {
    state: { kind: 'idle' },
    onDidChange,
    find,
    hasEnded: () => false,
    facts: () => noFacts,
    note: () => undefined,
    forget: () => undefined,
    refresh,
    setInterest: () => undefined,
  };
}
