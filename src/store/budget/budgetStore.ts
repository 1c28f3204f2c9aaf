import * as z from 'zod';
import { budgetAt, hasLimit, type BudgetLimits, type BudgetNow } from '../../model/budget/budget';
import { ledgerShape, unreadLedger, type Ledger } from '../../model/budget/ledger';
import {
  goneSource,
  instanceSource,
  seenSource,
  volumeSource,
  type CostSource,
} from '../../model/budget/spent';
import { noRate } from '../../model/quote';
import type { Volume } from '../../model/volume';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import type { Reading } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Account, Accounts } from '../accounts/accounts';
import type { Fleet } from '../instances/fleetStore';
import { isComplete } from '../instances/listed';
import type { WindowHub } from '../windows/windowHub';
import { readLedger } from './readLedger';

export interface BudgetDeps {
  readonly accounts: Accounts;
  readonly fleet: Pick<Fleet, 'state' | 'facts' | 'onDidChange'>;
  readonly volumes: Pick<Reading<readonly Volume[]>, 'state' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: () => BudgetLimits;
  readonly onDidChangeLimits: (listener: () => void) => Disposable;
}

/** The spending of the active account against its budget. */
export interface Budget {
  readonly limits: BudgetLimits;
  /** The budget as last read; undefined without a limit or an account. */
  readonly now: BudgetNow | undefined;
  readonly onDidChange: Event<void>;
  /** Returns the budget after at most one read of the charges. Never rejects: unread parts are marked. */
  current(): Promise<BudgetNow | undefined>;
  /** Returns the budget after a new read of the charges. */
  reread(): Promise<BudgetNow | undefined>;
}

/** The charges are read at most this often without a request by the user. */
const readEveryMs = 10 * 60_000;
/** Each further page delays the next read by this much more. */
const pageMs = 5 * 60_000;
/** A wall clock that differs from the elapsed time by this much was set, or the computer slept. */
const jumpMs = 60_000;
const tickMs = 60_000;
/** Limit for a read of the charges when the service hangs. */
const longestReadMs = 15_000;

/** Represents what could not be read: its cost is unknown. */
const unreadSource: CostSource = { name: 'unread', rate: undefined, stoppedRate: noRate, runsFor: 0 };

const ledgers = channel(
  'budget.ledger',
  z.object({ accountKey: z.string(), ledger: ledgerShape, ageMs: z.number(), nextMs: z.number() }),
);
const hellos = channel('budget.hello', z.object({}));

interface Known {
  readonly ledger: Ledger;
  /** `Clock.elapsed` and `Clock.now` at the moment of `ledger.at`. */
  readonly elapsed: number;
  readonly wall: number;
  /** How long the ledger counts as fresh, in milliseconds. */
  readonly nextMs: number;
}

/**
 * Reads the charges in the leading window and shares them; each window adds the costs of running instances.
 */
export class BudgetStore implements Budget, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private known: Known | undefined;
  private reading: Promise<void> | undefined;
  private attemptedAt = -Infinity;
  private sources = new Map<string, CostSource>();
  /** Destroyed instances whose last charges may still be missing. */
  private gone = new Map<string, CostSource>();

  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: BudgetDeps) {
    const { accounts, fleet, volumes, hub } = deps;
    const check = () => this.check();
    this.owned.add(hellos.on(hub, () => this.sendLedger()));
    this.owned.add(
      ledgers.on(hub, ({ accountKey, ledger, ageMs, nextMs }) => {
        if (accountKey === accounts.active?.key) {
          this.apply(ledger, ageMs, nextMs);
        }
      }),
    );
    this.owned.add(
      followAccount(accounts, () => {
        this.known = undefined;
        this.attemptedAt = -Infinity;
        this.sources = new Map();
        this.gone = new Map();
        hellos.send(hub, {});
        this.check();
        return undefined;
      }),
    );
    this.owned.add(fleet.onDidChange(check));
    this.owned.add(volumes.onDidChange(check));
    this.owned.add(
      hub.onDidChangeLeader(() => {
        hellos.send(hub, {});
        this.check();
      }),
    );
    this.owned.add(deps.onDidChangeLimits(check));
  }

  get limits(): BudgetLimits {
    return this.deps.limits();
  }

  get now(): BudgetNow | undefined {
    const { limits } = this;
    if (!this.deps.accounts.active || !hasLimit(limits)) {
      return undefined;
    }
    const at = this.serviceNow();
    const charged = this.known?.ledger ?? unreadLedger(at);
    // Only the list knows what has been running since the last charges.
    const ledger = this.deps.fleet.state.kind === 'ready' ? charged : { ...charged, isWhole: false };
    const unread = this.hasUnread ? [unreadSource] : [];
    return budgetAt(limits, ledger, [...this.sources.values(), ...this.gone.values(), ...unread], at);
  }

  /** True if an instance or volume that costs money may be missing from the lists. */
  private get hasUnread(): boolean {
    const { fleet, volumes } = this.deps;
    const { kind } = volumes.state;
    return (
      (fleet.state.kind === 'ready' && !isComplete(fleet.state.value)) ||
      kind === 'failed' ||
      (kind === 'ready' && volumes.state.skipped !== undefined)
    );
  }

  async current(): Promise<BudgetNow | undefined> {
    if (this.isWanted && this.isOld) {
      await this.read(false);
    }
    return this.now;
  }

  async reread(): Promise<BudgetNow | undefined> {
    await this.reading;
    if (this.isWanted) {
      await this.read(false);
    }
    return this.now;
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get isWanted(): boolean {
    return this.deps.accounts.active !== undefined && hasLimit(this.limits);
  }

  private get isOld(): boolean {
    const { known } = this;
    if (!known?.ledger.isWhole) {
      return true;
    }
    const { clock } = this.deps;
    const passed = clock.elapsed() - known.elapsed;
    return passed >= known.nextMs || Math.abs(clock.now() - known.wall - passed) > jumpMs;
  }

  /**
   * Returns Unix seconds by the service. Uses elapsed time, since this computer's clock may be set at any
   * moment.
   */
  private serviceNow(): number {
    const { known } = this;
    const { clock } = this.deps;
    return known ? known.ledger.at + (clock.elapsed() - known.elapsed) / 1000 : clock.now() / 1000;
  }

  private check(): void {
    this.noteSources();
    this.changed.fire();
    const { hub, clock } = this.deps;
    if (!this.isWanted || !hub.isLeader || this.owned.isDisposed) {
      this.timer.value = undefined;
      return;
    }
    const isDue = clock.elapsed() - this.attemptedAt >= readEveryMs;
    if (this.sources.size > 0 && this.isOld && isDue) {
      void this.read(true);
    }
    this.timer.value ??= clock.schedule(() => {
      this.timer.value = undefined;
      this.check();
    }, tickMs);
  }

  private noteSources(): void {
    const { fleet, volumes, clock, accounts } = this.deps;
    if (!accounts.active || fleet.state.kind !== 'ready') {
      return;
    }
    const disks = volumes.state.kind === 'ready' ? volumes.state.value : [];
    const [nowMs, at] = [clock.now(), this.serviceNow()];
    const listed = [
      ...fleet.state.value.instances.map((one) => instanceSource(one, fleet.facts(one.id), nowMs, at)),
      ...disks.map(volumeSource),
    ];
    const names = new Set(listed.map(({ name }) => name));
    for (const [name, source] of this.sources) {
      if (!names.has(name)) {
        this.gone.set(name, goneSource(source, this.serviceNow()));
      }
    }
    names.forEach((name) => this.gone.delete(name));
    const seen = (source: CostSource) => seenSource(source, this.sources.get(source.name), this.serviceNow());
    this.sources = new Map(listed.map((source) => [source.name, seen(source)]));
  }

  /** Reads the charges; never rejects, and callers share a read that is under way. */
  private read(isUnasked: boolean): Promise<void> {
    const account = this.deps.accounts.active;
    if (!account) {
      return Promise.resolve();
    }
    this.reading ??= this.readOf(account, isUnasked).finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async readOf(account: Account, isUnasked: boolean): Promise<void> {
    const { accounts, clock, log } = this.deps;
    this.attemptedAt = clock.elapsed();
    const over = new AbortController();
    const timer = clock.schedule(() => over.abort(), longestReadMs);
    try {
      const { ledger, pages } = await readLedger(account.client, clock.now() / 1000, {
        signal: over.signal,
        isUnasked,
      });
      if (account.key === accounts.active?.key) {
        this.apply(ledger, 0, readEveryMs + (pages - 1) * pageMs);
        this.sendLedger();
      }
    } catch (error) {
      log.warn(`The charges could not be read for the budget: ${String(error)}`);
      if (account.key === accounts.active?.key && this.known) {
        this.known = { ...this.known, ledger: { ...this.known.ledger, isWhole: false } };
        this.changed.fire();
      }
    } finally {
      timer.dispose();
    }
  }

  private apply(ledger: Ledger, ageMs: number, nextMs: number): void {
    const { clock } = this.deps;
    this.known = { ledger, elapsed: clock.elapsed() - ageMs, wall: clock.now() - ageMs, nextMs };
    const until = new Map(ledger.chargedUntil);
    for (const [name, { ran }] of this.gone) {
      if (ran === undefined || (until.get(name) ?? -Infinity) >= ran.until) {
        this.gone.delete(name);
      }
    }
    this.changed.fire();
  }

  private sendLedger(): void {
    const { hub, accounts, clock } = this.deps;
    const { known } = this;
    if (known && accounts.active && hub.isLeader) {
      const ageMs = clock.elapsed() - known.elapsed;
      ledgers.send(hub, {
        accountKey: accounts.active.key,
        ledger: known.ledger,
        ageMs,
        nextMs: known.nextMs,
      });
    }
  }
}
