import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { noFacts } from '../../model/instances/instanceState';
import type { Account, Accounts, Fleet, OtherAccounts, WindowHub } from '../ports';
import type { Notices } from '../windows/notices';
import { InstanceLeases } from './instanceLeases';
import type { LeaseStorage } from './leaseFiles';
import { unwatchedNotice } from './leaseNotice';
import { LeaseRunner } from './leaseRunner';

export interface OtherAccountLeasesDeps {
  readonly accounts: Accounts & OtherAccounts;
  readonly hub: WindowHub;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: (accountKey: string) => LeaseStorage;
}

/** How often it is looked who else is signed in. */
const lookEveryMs = 60_000;

/** Carries out the schedules of accounts that are signed in and not the active one, in the window that leads. */
export class OtherAccountLeases implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly running = new Map<string, Disposable>();

  constructor(private readonly deps: OtherAccountLeasesDeps) {
    this.owned.add(watchAccounts(deps.accounts, () => this.look()));
    this.owned.add(deps.hub.onDidChangeLeader(() => this.look()));
    this.look();
  }

  /** The next start is to go on with them. */
  get hasWork(): boolean {
    return this.running.size > 0;
  }

  dispose(): void {
    this.owned.dispose();
    this.keepOnly(new Set());
  }

  private look(): void {
    this.lookNow()
      .catch((error: unknown) => {
        this.deps.log.error('The schedules of the other accounts could not be looked at', error);
      })
      .finally(() => {
        const isWanted = !this.owned.isDisposed && this.deps.hub.isLeader;
        this.timer.value = isWanted ? this.deps.clock.schedule(() => this.look(), lookEveryMs) : undefined;
      });
  }

  private async lookNow(): Promise<void> {
    const { accounts, hub } = this.deps;
    const others = hub.isLeader ? await accounts.others() : [];
    const have = await Promise.all(others.map(({ key }) => this.hasSchedules(key)));
    if (this.owned.isDisposed) {
      return;
    }
    const wanted = others.filter(({ key }, index) => key !== accounts.active?.key && have[index] === true);
    this.keepOnly(new Set(wanted.map(({ key }) => key)));
    for (const account of wanted.filter(({ key }) => !this.running.has(key))) {
      this.running.set(account.key, this.run(account));
    }
  }

  /** What can't be read may be there, and holds no other account up. */
  private async hasSchedules(accountKey: string): Promise<boolean> {
    try {
      return (await this.deps.storage(accountKey).list()).length > 0;
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
    const fleet = unreadFleet(onDidChange);
    // Whether an instance is idle is watched for the active account alone.
    const idle = { idleSince: () => undefined, onDidLook: onDidChange };
    store.add(new LeaseRunner({ ...shared, fleet, leases, idle }));
    void leases.ready.then(() => {
      if (!store.isDisposed) {
        this.tellUnwatched(account.key, leases);
      }
    });
    return store;
  }

  /** An idle time that passes unseen would leave a machine running for good. */
  private tellUnwatched(accountKey: string, { rows }: InstanceLeases): void {
    const { notices, clock } = this.deps;
    rows
      .filter(({ lease }) => lease.term.kind === 'idle' && lease.armed === undefined)
      .forEach(({ lease }) => notices.post(unwatchedNotice(accountKey, lease, clock.now())));
  }
}

/** No list is kept of them: what is there is read right before something is done to it. */
function unreadFleet(onDidChange: Fleet['onDidChange']): Fleet {
  return {
    state: { kind: 'idle' },
    onDidChange,
    find: () => undefined,
    hasEnded: () => false,
    facts: () => noFacts,
    note: () => undefined,
    forget: () => undefined,
    refresh: () => Promise.resolve(),
    setInterest: () => undefined,
  };
}
