import { dueStop, noticeMs, type DueStop } from '../../model/budget/stopPlan';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { billingOf, stateOf } from '../../model/instances/instanceState';
import { mayAct } from '../../shared/oneWindow';
import { wait, type Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import type { Account, Accounts } from '../accounts/accounts';
import { carryOut } from '../instances/carryOut';
import type { Fleet } from '../instances/fleetStore';
import type { Notices } from '../windows/notices';
import type { WindowHub } from '../windows/windowHub';
import type { Budget } from './budgetStore';
import { stopNoticeKind, type StopNotice } from './stopNotice';

export interface BudgetStopsDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly budget: Budget;
  readonly fleet: Fleet;
  readonly hub: WindowHub;
  readonly notices: Notices;
  /** Whether files of an instance are being saved, which a stop would cut. */
  readonly isSaving?: ((accountKey: string, instanceId: number) => Promise<boolean>) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns the key of a round. The first to claim it decides: the window that stops, or the user who declines.
 */
export function roundClaim(accountKey: string, round: string): string {
  return `${accountKey}:budget:stop:${round}`;
}

/** Returns the key for the end of a claimed round; if it is unclaimed, the window closed before the end. */
export function roundEndClaim(accountKey: string, round: string): string {
  return `${roundClaim(accountKey, round)}:end`;
}

/** How often an instance is looked at whose files are saved (ms). */
const savedCheckMs = 60_000;

/** Stops all running instances once a budget is spent, if the user chose that; runs in the leading window. */
export class BudgetStops implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly over = new AbortController();
  /**
   * When this window first saw a round coming (`Clock.elapsed`), so that a wrong clock can't shorten the
   * notice.
   */
  private readonly seenAt = new Map<string, number>();
  private readonly ended = new Set<string>();
  private isBusy = false;

  constructor(private readonly deps: BudgetStopsDeps) {
    this.owned.add(deps.budget.onDidChange(() => this.check()));
    this.check();
  }

  dispose(): void {
    this.over.abort();
    this.owned.dispose();
  }

  private check(): void {
    const account = this.deps.accounts.active;
    if (this.isBusy || !account) {
      return;
    }
    this.isBusy = true;
    this.stopIfDue(account)
      .catch((error: unknown) => {
        this.deps.log.error('The instances could not be stopped at the end of a budget', error);
      })
      .finally(() => {
        this.isBusy = false;
      });
  }

  private async stopIfDue(account: Account): Promise<void> {
    const due = this.due(account);
    if (!due) {
      return;
    }
    const { clock, budget, fleet } = this.deps;
    const key = roundClaim(account.key, due.round);
    const seenAt = this.seenAt.get(key);
    if (seenAt === undefined) {
      this.seenAt.set(key, clock.elapsed());
      this.postNotice(account, due, 'soon');
      return;
    }
    if (!due.isReached || clock.elapsed() - seenAt < noticeMs) {
      return;
    }
    // The known list may be minutes old, which is too old to stop instances by it.
    await fleet.refresh();
    await budget.reread();
    const still = this.due(account);
    if (still?.round === due.round && still.isReached) {
      await this.stopAll(account, still);
    }
  }

  /** Returns the stop that this window must carry out. */
  private due(account: Account): DueStop | undefined {
    const { accounts, budget, hub } = this.deps;
    const { now, limits } = budget;
    const isMine = hub.isLeader && account.key === accounts.active?.key && !this.owned.isDisposed;
    const due = isMine && limits.stopsAll && now && this.running().length > 0 ? dueStop(now) : undefined;
    return due && !this.ended.has(roundClaim(account.key, due.round)) ? due : undefined;
  }

  /** Returns the running instances from the latest list. */
  private running(): readonly Instance[] {
    const { fleet, clock } = this.deps;
    const { state } = fleet;
    return state.kind !== 'ready' || state.error !== undefined
      ? []
      : state.value.instances.filter((one) => {
          const kind = stateOf(one, fleet.facts(one.id), clock.now());
          const isGoing = kind === 'stopping' || kind === 'destroying';
          return !isGoing && (billingOf(one, kind) === 'running' || kind === 'queued');
        });
  }

  private async stopAll(account: Account, due: DueStop): Promise<void> {
    const { hub } = this.deps;
    const key = roundClaim(account.key, due.round);
    const isMine = await mayAct(hub, key);
    this.ended.add(key);
    if (!isMine) {
      if (await mayAct(hub, roundEndClaim(account.key, due.round))) {
        this.postNotice(account, due, 'interrupted');
      }
      return;
    }
    const { saved, others } = await this.bySaving(account);
    await this.stopThese(account, due, others);
    // The round ends with the last of them, so that a window that is killed leaves a message.
    void Promise.all(saved.map((one) => this.stopOnceSaved(account, due, one)))
      .then(() => mayAct(hub, roundEndClaim(account.key, due.round)))
      .catch((error: unknown) => {
        this.deps.log.info(`Instances whose files are saved were not stopped: ${String(error)}`);
      });
  }

  private async bySaving({ key }: Account) {
    const { isSaving } = this.deps;
    const running = this.running();
    const states = await Promise.all(running.map(async ({ id }) => (await isSaving?.(key, id)) === true));
    return {
      saved: running.filter((_, index) => states[index]),
      others: running.filter((_, index) => !states[index]),
    };
  }

  /** Parking ends the instance itself. Where it fails for long, it counts as saving no more. */
  private async stopOnceSaved(account: Account, due: DueStop, { id }: Instance): Promise<void> {
    const { accounts, budget, clock } = this.deps;
    const isSaved = async () => (await this.bySaving(account)).saved.some((one) => one.id === id);
    do {
      await wait(clock, savedCheckMs, this.over.signal);
    } while (await isSaved());
    const still = accounts.active?.key === account.key && budget.now ? dueStop(budget.now) : undefined;
    if (still?.round === due.round && still.isReached && budget.limits.stopsAll) {
      const left = this.running().filter((one) => one.id === id);
      await this.stopThese(account, due, left, `:${id}`);
    }
  }

  private async stopThese(
    account: Account,
    due: DueStop,
    these: readonly Instance[],
    turn = '',
  ): Promise<void> {
    const results = await Promise.all(
      these.map(async (one) => ({ one, isStopped: await this.stop(account, one.id) })),
    );
    const names = (isStopped: boolean) =>
      results.filter((result) => result.isStopped === isStopped).map(({ one }) => instanceName(one));
    this.postNotice(account, due, 'stopped', { stopped: names(true), left: names(false) }, turn);
  }

  /** Stops one instance. Never rejects: a failure must not keep the others running. */
  private async stop(account: Account, instanceId: number): Promise<boolean> {
    const { accounts, hub, log } = this.deps;
    const isStillWanted = () => Promise.resolve(hub.isLeader && accounts.active?.key === account.key);
    try {
      const done = await carryOut(
        this.deps,
        account,
        { instanceId, action: 'stop' },
        { by: 'budget', signal: this.over.signal, isStillWanted },
      );
      return done !== 'notConfirmed';
    } catch (error) {
      log.warn(`Instance ${instanceId} could not be stopped at the end of a budget: ${String(error)}`);
      return false;
    }
  }

  private postNotice(
    account: Account,
    { part, round }: DueStop,
    kind: StopNotice['kind'],
    names: Pick<StopNotice, 'stopped' | 'left'> = { stopped: [], left: [] },
    turn = '',
  ): void {
    const data: StopNotice = { kind, round, period: part.period, limit: part.limit, ...names };
    const key = `${roundClaim(account.key, round)}:${kind}${turn}`;
    this.deps.notices.post({ key, accountKey: account.key, kind: stopNoticeKind, data });
  }
}
