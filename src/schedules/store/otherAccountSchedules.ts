import type { AccountRef } from '../../model/accounts/account';
import { instanceName } from '../../model/instances/instanceLabel';
import { noFacts } from '../../model/instances/instanceState';
import { watchAccounts } from '../../shared/followAccount';
import type { Loaded } from '../../shared/reading';
import type { Account, Accounts, OtherAccounts } from '../../store/accounts/accounts';
import type { Fleet, FleetSnapshot } from '../../store/instances/fleetStore';
import { IdleWatch, type IdleWatchDeps } from '../../store/instances/idleWatch';
import type { Notices } from '../../store/windows/notices';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { InstanceSchedules } from './instanceSchedules';
import type { AskKernels } from './kernelUse';
import { OtherList } from './otherList';
import { dailyMs, OtherMachines, type LastListed } from './otherMachines';
import type { ScheduleRow, ScheduleStorage } from './scheduleFiles';
import { noticeOf } from './scheduleNotice';
import { ScheduleRunner, type AskSaving } from './scheduleRunner';
import { isProofOld, TimerProofs, type CheckTimer } from './timerProofs';
import { unreadableNotice } from './unreadableNotice';

export interface OtherAccountSchedulesDeps {
  readonly accounts: Accounts & OtherAccounts;
  readonly hub: WindowHub;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly storage: (accountKey: string) => ScheduleStorage;
  /** Returns the last list of an account from when it was active; never rejects. */
  readonly lastListed: (accountKey: string) => Promise<LastListed>;
  /** Keeps for when the account is active again that a schedule has destroyed an instance. */
  readonly noteDestroyed: (accountKey: string, id: number) => void;
  readonly kernelUse: AskKernels;
  readonly check: CheckTimer;
  readonly isSaving?: AskSaving;
  /** The facts that show whether an instance is idle. */
  readonly idle: Pick<IdleWatchDeps, 'presence' | 'aliasOf' | 'file'>;
}

/** How often to check which other accounts are signed in (ms). */
const checkEveryMs = 60_000;
/** How often idle instances are listed: as often as those of the active account in the background (ms). */
const idleListMs = 5 * 60_000;
/** How often an instance is listed whose timer is to be proved (ms). */
const proofListMs = 3_600_000;

/** One account that is not active. */
interface Followed extends Disposable {
  readonly list: OtherList;
}

/**
 * Carries out the schedules of signed-in accounts that are not active, in the leading window, and looks once a day at
 * their timers and instances.
 */
export class OtherAccountSchedules implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly running = new Map<string, Followed>();
  /** What each of them had when it was active. */
  private readonly last = new Map<string, Promise<LastListed>>();
  /** True if an account has schedules or instances, also one whose key can't be read now. */
  private hasSome = false;
  private begun = 0;
  /** The last look that ended, and only in the leading window. */
  private ended = 0;

  /** Fires after each look in the leading window. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: OtherAccountSchedulesDeps) {
    this.owned.add(watchAccounts(deps.accounts, () => this.check()));
    this.owned.add(deps.hub.onDidChangeLeader(() => this.check()));
    this.check();
  }

  /** True if the next start must load the schedules; `undefined` during a look and in windows that don't lead. */
  get hasWork(): boolean | undefined {
    return this.ended === this.begun ? this.hasSome : undefined;
  }

  dispose(): void {
    this.owned.dispose();
    this.keepOnly(new Set());
  }

  private check(): void {
    this.begun += 1;
    this.checkNow(this.begun)
      .catch((error: unknown) => {
        this.deps.log.error('The schedules of the other accounts could not be looked at', error);
      })
      .finally(() => {
        const isWanted = !this.owned.isDisposed && this.deps.hub.isLeader;
        this.timer.value = isWanted ? this.deps.clock.schedule(() => this.check(), checkEveryMs) : undefined;
      });
  }

  /** Only the last look counts: one that began before a switch treats the wrong account as active. */
  private async checkNow(own: number): Promise<void> {
    const { accounts, hub } = this.deps;
    const { isLeader } = hub;
    const active = accounts.active?.key;
    const known = isLeader ? (await accounts.known()).filter(({ key }) => key !== active) : [];
    const others = isLeader ? await accounts.others() : [];
    // An account may be active again in between, or be looked at by another window.
    [...this.last.keys()]
      .filter((key) => !known.some((one) => one.key === key))
      .forEach((key) => this.last.delete(key));
    const have = await Promise.all(known.map((one) => this.hasWorkFor(one)));
    const withSome = new Set(known.filter((_, index) => have[index]).map(({ key }) => key));
    const wanted = await Promise.all(
      others
        .filter(({ key }) => withSome.has(key))
        .map(async (account) => ({ account, last: await this.lastOf(account.key) })),
    );
    if (this.owned.isDisposed || own !== this.begun) {
      return;
    }
    this.hasSome = withSome.size > 0;
    this.keepOnly(new Set(wanted.map(({ account }) => account.key)));
    for (const { account, last } of wanted) {
      const one = this.running.get(account.key) ?? this.run(account, last);
      this.running.set(account.key, one);
      // The proof of a timer may have become too old.
      one.list.readIfOld();
    }
    if (isLeader) {
      this.ended = own;
      this.changed.fire();
    }
  }

  private async hasWorkFor({ key, isDemo }: AccountRef): Promise<boolean> {
    // The demo costs nothing, and a list would start it.
    return (await this.hasSchedules(key)) || (!isDemo && (await this.lastOf(key)).instances.length > 0);
  }

  private lastOf(accountKey: string): Promise<LastListed> {
    const last = this.last.get(accountKey) ?? this.deps.lastListed(accountKey);
    this.last.set(accountKey, last);
    return last;
  }

  /** Returns true as well if the schedules can't be read: they may exist, and other accounts must not wait. */
  private async hasSchedules(accountKey: string): Promise<boolean> {
    try {
      const files = this.deps.storage(accountKey);
      const rows = await files.list();
      await this.postUnreadable(accountKey, files);
      return rows.length > 0 || files.refused !== undefined;
    } catch (error) {
      this.deps.log.error('The schedules of another account could not be read', error);
      return true;
    }
  }

  /** They are not carried out, and their account may not be active for long. */
  private async postUnreadable(accountKey: string, { unreadable }: ScheduleStorage): Promise<void> {
    const { clock, notices } = this.deps;
    const { instances } = unreadable.length > 0 ? await this.lastOf(accountKey) : { instances: [] };
    for (const one of unreadable) {
      const instance = instances.find(({ id }) => id === one.instanceId);
      const name = instance ? instanceName(instance) : `#${one.instanceId}`;
      notices.post(unreadableNotice(accountKey, one, { name, now: clock.now() }));
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

  private run(account: Account, last: LastListed): Followed {
    const { clock } = this.deps;
    const store = new DisposableStore();
    const onDidChange = store.add(new Emitter<never>()).event;
    const shared = { ...this.deps, accounts: { active: account, onDidChange } };
    const schedules = store.add(new InstanceSchedules(shared));
    const machines = new OtherMachines({ ...this.deps, account, last });
    const listed = () => (list.state.kind === 'ready' ? list.state.value.instances : []);
    const find = (id: number) => listed().find((one) => one.id === id) ?? machines.find(id);
    const list = store.add(
      new OtherList({
        ...this.deps,
        account,
        listedAt: clock.elapsed() - Math.max(0, clock.now() - last.fetchedAt),
        lastsMs: () => this.listLastsMs(schedules, machines),
        onUnread: () => this.postUnwatched(account.key, schedules, find),
      }),
    );
    const polled = store.add(new Emitter<Loaded<FleetSnapshot>>());
    store.add(
      list.onDidPoll(({ instances }) => {
        polled.fire(list.state);
        void machines.learn(instances, list.signal);
      }),
    );
    store.add(schedules.onDidChange(() => list.readIfOld()));
    const idle = store.add(new IdleWatch({ ...shared, ...this.deps.idle, fleet: list }));
    const fleet = unreadFleet(
      onDidChange,
      find,
      () => list.refresh(),
      (id) => machines.noteEnd(id),
    );
    const onDestroyed = (id: number) => this.deps.noteDestroyed(account.key, id);
    store.add(new ScheduleRunner({ ...shared, fleet, schedules, idle, onDestroyed }));
    // Its records are no older than its list, unlike those that only provide a name.
    const current = { ...fleet, find: (id: number) => listed().find((one) => one.id === id) };
    const proved = { ...current, onDidChange: polled.event };
    store.add(new TimerProofs({ ...shared, ...this.deps.idle, fleet: proved, schedules }));
    void schedules.ready.then(() => list.readIfOld());
    return { list, dispose: () => store.dispose() };
  }

  private listLastsMs(schedules: InstanceSchedules, machines: OtherMachines): number | undefined {
    if (unarmed(schedules).length > 0) {
      return idleListMs;
    }
    const now = this.deps.clock.now();
    const isProofDue = schedules.rows.some(({ schedule: { armed } }) => armed && isProofOld(armed, now));
    return isProofDue ? proofListMs : machines.areThere ? dailyMs : undefined;
  }

  /** Reports idle schedules that can't be checked; otherwise a machine could run forever. */
  private postUnwatched(accountKey: string, schedules: InstanceSchedules, find: Fleet['find']): void {
    const { notices, clock } = this.deps;
    for (const row of unarmed(schedules)) {
      const about = { instance: find(row.schedule.instanceId), now: clock.now() };
      notices.post(noticeOf(accountKey, row, 'unwatched', about));
    }
  }
}

/** Returns schedules that wait for idle time and have no timer on the instance. */
function unarmed({ rows }: InstanceSchedules): readonly ScheduleRow[] {
  return rows.filter(({ schedule: { term, armed } }) => term.kind === 'idle' && armed === undefined);
}

/**
 * A fleet without its own reads: an instance is read right before it is changed, and a list provides only idle facts
 * and names.
 */
function unreadFleet(
  onDidChange: Fleet['onDidChange'],
  find: Fleet['find'],
  refresh: () => Promise<void>,
  onDestroyed: (id: number) => void,
): Fleet {
  return {
    state: { kind: 'idle' },
    onDidChange,
    find,
    hasEnded: () => false,
    facts: () => noFacts,
    note: (id, { kind, tookEffect }) => {
      if (kind === 'destroy' && tookEffect === true) {
        onDestroyed(id);
      }
    },
    forget: () => undefined,
    refresh,
    setInterest: () => undefined,
  };
}
