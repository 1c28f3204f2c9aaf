import { stateOf } from '../../model/instances/instanceState';
import {
  actingMs,
  isBeingCarriedOut,
  isProvedGone,
  movedBack,
  retryAfterMs,
  stateMovedBack,
  stepOf,
  type Lease,
  type LeaseState,
} from '../model/schedule';
import { mayAct } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { defined } from '../../util/defined';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { readPresence, tidyAfterMs } from '../../store/instances/ends';
import type { IdleWatch } from '../../store/instances/idleWatch';
import type { InstanceLeases } from './instanceSchedules';
import { carryOut } from '../../store/instances/carryOut';
import type { LeaseRow } from './scheduleFiles';
import { isUsedByKernels, type AskKernels } from './kernelUse';
import { noticeOf, type LeaseNotice } from './scheduleNotice';
import type { Notices } from '../../store/windows/notices';
import type { Account, Accounts, Fleet, WindowHub } from '../../store/ports';

export interface LeaseRunnerDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Fleet;
  readonly hub: WindowHub;
  readonly leases: InstanceLeases;
  readonly idle: Pick<IdleWatch, 'idleSince' | 'noteUse' | 'onDidLook'>;
  readonly kernelUse: AskKernels;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each destroyed instance; given if no list shows the instances, so that only their records tell of an end. */
  readonly onDestroyed?: (instanceId: number) => void;
}

/** Timers stop while a computer sleeps, so the clock is checked this often (ms). */
const leaseTickMs = 15_000;
/** A clock that moves back by more than this was set, not just corrected (ms). */
const setBackMs = 30_000;
/** How often the service is asked about an instance whose time passed while no editor was open (ms). */
const askEveryMs = 3_600_000;
const askAgainMs = 60_000;

/** Carries out leases in the leading window. Without a lease there is no timer. */
export class LeaseRunner implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly stop = new AbortController();
  private isBusy = false;
  private isWanted = false;
  private lastNow = -Infinity;
  /** Until when the user is not asked again about a missed lease, by lease (`Clock.elapsed`). */
  private readonly askedUntil = new Map<string, number>();

  constructor(private readonly deps: LeaseRunnerDeps) {
    const { fleet, hub, leases, idle } = deps;
    const look = () => this.look();
    // A window that was killed right after setting a schedule announced it to no window, so the leader rereads with
    // each list.
    this.owned.add(fleet.onDidChange(() => (hub.isLeader ? void leases.rereadAll() : undefined)));
    // Fires after each read, also that of another account or leader.
    this.owned.add(leases.onDidChange(look));
    this.owned.add(idle.onDidLook(look));
    this.look();
  }

  dispose(): void {
    this.stop.abort();
    this.owned.dispose();
  }

  /** Checks all leases; changes during a check are handled by another one. */
  private look(): void {
    const { hub, accounts, leases } = this.deps;
    if (this.owned.isDisposed || !hub.isLeader || !accounts.active || leases.rows.length === 0) {
      this.timer.value = undefined;
      return;
    }
    this.isWanted = true;
    if (!this.isBusy) {
      this.isBusy = true;
      void this.lookAtAll().finally(() => {
        this.isBusy = false;
        this.plan();
      });
    }
  }

  private plan(): void {
    const { hub, leases, clock } = this.deps;
    const hasWork = !this.owned.isDisposed && hub.isLeader && leases.rows.length > 0;
    this.timer.value = hasWork ? clock.schedule(() => this.look(), leaseTickMs) : undefined;
  }

  /** Checks all leases; never rejects. */
  private async lookAtAll(): Promise<void> {
    while (this.isWanted && !this.owned.isDisposed) {
      this.isWanted = false;
      try {
        await this.deps.leases.ready;
        await this.followClock();
      } catch (error) {
        this.deps.log.error('The leases could not be looked at', error);
      }
      const looks = this.deps.leases.rows.map((row) =>
        this.lookAt(row).catch((error: unknown) => {
          this.deps.log.error(`The lease of ${row.lease.instanceId} could not be looked at`, error);
        }),
      );
      await Promise.all(looks);
    }
  }

  /** Preserves the remaining time of each lease when the clock is set back, even while no editor was open. */
  private async followClock(): Promise<void> {
    const { clock, leases } = this.deps;
    const now = clock.now();
    for (const { lease, state } of leases.rows) {
      const noted = Math.max(lease.setAt, lease.armed?.provedAt ?? 0, state.warnedAt ?? 0);
      const byMs = Math.max(this.lastNow, noted) - now;
      if (byMs > setBackMs && (await leases.amend(movedBack(lease, byMs)))) {
        await leases.putState(lease.instanceId, stateMovedBack(state, byMs));
      }
    }
    this.lastNow = now;
  }

  private async lookAt(row: LeaseRow): Promise<void> {
    const { accounts, leases, clock } = this.deps;
    const { lease } = row;
    const account = accounts.active;
    if (!account || this.owned.isDisposed || (await this.isOver(row))) {
      return;
    }
    if (row.state.missedAt !== undefined) {
      await this.askAbout(account, row);
      return;
    }
    // A request that may have left is looked after first, even if the instance is in use again.
    const mayHaveLeft = row.state.sentAt !== undefined || isBeingCarriedOut(row.state, clock.now());
    const state = mayHaveLeft ? row.state : await this.withIdle(row);
    const step = stepOf(lease, state, clock.now());
    const isDue = step.kind === 'warn' || step.kind === 'fire';
    const isUsed = isDue && (await isUsedByKernels(this.deps, account, { lease, state }, this.stop.signal));
    // Whoever closed the window meanwhile leaves the rest to the next one.
    if (this.stop.signal.aborted || (isUsed && !mayHaveLeft)) {
      return;
    }
    switch (step.kind) {
      case 'wait':
        return;
      case 'warn':
        await leases.putState(lease.instanceId, { ...state, warnedAt: clock.now() });
        this.tell(account, lease, { ...state, warnedAt: clock.now() }, 'soon');
        return;
      case 'miss':
        await leases.putState(lease.instanceId, { ...state, missedAt: clock.now() });
        return;
      case 'fire':
        await this.fire(account, lease, state, step.isLate);
    }
  }

  /** Reads the instance before claiming that it costs money: its own timer may have destroyed it. */
  private async askAbout(account: Account, { lease, state }: LeaseRow): Promise<void> {
    const { clock, leases } = this.deps;
    const now = clock.elapsed();
    if (now < (this.askedUntil.get(lease.id) ?? 0)) {
      return;
    }
    this.askedUntil.set(lease.id, now + askAgainMs);
    const { kind } = await readPresence(account.client, lease.instanceId, this.stop.signal);
    if (kind === 'there') {
      this.askedUntil.set(lease.id, now + askEveryMs);
      this.tell(account, lease, state, 'missed');
    } else if (kind === 'ended') {
      this.tell(account, lease, state, 'destroyed');
      // A list will agree, and whoever finds the end there must know that it was scheduled.
      await (this.deps.onDestroyed ? leases.finish(lease) : this.ended(lease, state));
    }
  }

  /** Ends a lease whose instance is gone, or already stopped if that was the goal. */
  private async isOver({ lease, state }: LeaseRow): Promise<boolean> {
    const { fleet, leases, accounts, clock } = this.deps;
    const list = fleet.state;
    if (list.kind !== 'ready' || list.error !== undefined) {
      return false;
    }
    // A list from before the lease is not used, nor is one that only looks newer because the clock was set back.
    if (list.fetchedAt < lease.setAt || list.fetchedAt > clock.now()) {
      return false;
    }
    const instance = fleet.find(lease.instanceId);
    if (!instance) {
      return fleet.hasEnded(lease.instanceId) && (await this.ended(lease, state));
    }
    if (state.endedAt !== undefined) {
      await leases.putState(lease.instanceId, { ...state, endedAt: undefined });
    }
    const request = fleet.facts(instance.id).lastRequest;
    const kind = stateOf(instance, fleet.facts(instance.id), clock.now());
    const { armed } = lease;
    const isTimerGone = armed !== undefined && isProvedGone(armed, instance, request, list.fetchedAt);
    if (isTimerGone) {
      const action = armed.action ?? lease.action;
      if (action === 'stop' && kind === 'stopped' && request?.kind !== 'stop' && accounts.active) {
        this.tell(accounts.active, lease, state, 'stoppedItself');
      }
      await leases.setArmed(lease, undefined);
      if (lease.isOnlyOnInstance === true) {
        return true;
      }
    }
    if (lease.action === 'stop' && kind === 'stopped') {
      await leases.finish(lease);
      return true;
    }
    if (isTimerGone && accounts.active) {
      this.tell(accounts.active, lease, state, 'timerGone');
    }
    return false;
  }

  /** Finishes a lease; the user's decision is kept for a day in case the service was wrong. */
  private async ended(lease: Lease, state: LeaseState): Promise<true> {
    const { leases, clock, fleet } = this.deps;
    const { instanceId } = lease;
    const now = clock.now();
    const request = fleet.facts(instanceId).lastRequest;
    if (request?.kind === 'destroy' && request.tookEffect === true) {
      // A destroy was requested later and is confirmed.
      await leases.finish(lease);
    } else if (state.endedAt === undefined) {
      await leases.putState(instanceId, { ...state, endedAt: now });
    } else if (now - state.endedAt > tidyAfterMs) {
      await leases.finish(lease);
    }
    return true;
  }

  private async withIdle({ lease, state }: LeaseRow): Promise<LeaseState> {
    if (lease.term.kind !== 'idle' || state.missedAt !== undefined) {
      return state;
    }
    const since = this.deps.idle.idleSince(lease.instanceId);
    const idleSince = since === undefined ? undefined : Math.max(since, lease.setAt);
    if (idleSince === state.idleSince) {
      return state;
    }
    // The instance was used in between, so the earlier warning and tries no longer apply. The tries still count, because
    // each is claimed by its number.
    const { leaseId, attempts } = state;
    const next = defined<LeaseState>({ leaseId, idleSince, attempts });
    await this.deps.leases.putState(lease.instanceId, next);
    return next;
  }

  private async fire(account: Account, lease: Lease, state: LeaseState, isLate: boolean): Promise<void> {
    const { hub, leases, clock, log, fleet } = this.deps;
    const { instanceId } = lease;
    const attempts = (state.attempts ?? 0) + 1;
    const isMine = await mayAct(hub, `${account.key}:lease:${lease.id}:${attempts}`);
    // The user may have canceled or extended it a moment ago.
    const last = await leases.reread(instanceId);
    if (last?.lease.id !== lease.id) {
      return;
    }
    if (!isMine) {
      if ((last.state.attempts ?? 0) >= attempts) {
        // The window that claimed it has written how far it is.
        return;
      }
      await leases.putState(instanceId, { ...last.state, attempts, nextTryAt: clock.now() + actingMs });
      return;
    }
    const now = clock.now();
    const acting = { ...state, attempts, nextTryAt: now + actingMs, actingSince: now };
    await leases.putState(instanceId, acting);
    const isStillDue = async () =>
      (await this.withIdle({ lease, state: acting })).idleSince === acting.idleSince;
    try {
      if (lease.term.kind === 'idle') {
        // The last figures may be minutes old.
        await fleet.refresh();
      }
      const done = await carryOut(this.deps, account, lease, {
        signal: this.stop.signal,
        // A window that hung on the way is no longer the acting one.
        isStillWanted: async () =>
          (await isStillDue()) && (await leases.isAboutToSend(lease, acting)) && hub.isLeader,
      });
      if (done === 'notConfirmed') {
        log.warn(`Instance ${instanceId} is not seen to be gone or stopped yet`);
        await this.failed(account, lease, acting, { wasSent: true });
        return;
      }
      this.tell(account, lease, state, done, { isLate });
      await leases.finish(lease);
    } catch (error) {
      if (isCancelled(error)) {
        // This window closes, and the next one checks what happened; or the user changed the schedule or the instance is
        // in use.
        return;
      }
      log.warn(`The lease of ${instanceId} could not be carried out: ${String(error)}`);
      const problem = error instanceof UserError ? error.text : undefined;
      await this.failed(account, lease, acting, { wasSent: false, problem });
    }
  }

  private async failed(
    account: Account,
    lease: Lease,
    acting: LeaseState,
    { wasSent, ...more }: { readonly wasSent: boolean } & Pick<LeaseNotice, 'problem'>,
  ): Promise<void> {
    const { leases, clock } = this.deps;
    const now = clock.now();
    const failed = {
      ...acting,
      nextTryAt: now + retryAfterMs(acting.attempts ?? 1),
      actingSince: undefined,
      ...(wasSent ? { sentAt: now } : {}),
    };
    await leases.putState(lease.instanceId, failed);
    this.tell(account, lease, failed, 'failed', more);
  }

  private tell(
    account: Account,
    lease: Lease,
    state: LeaseState,
    kind: LeaseNotice['kind'],
    more: Pick<LeaseNotice, 'isLate' | 'problem'> = {},
  ): void {
    const { fleet, notices, clock } = this.deps;
    const instance = fleet.find(lease.instanceId);
    if (kind === 'destroyed') this.deps.onDestroyed?.(lease.instanceId);
    notices.post(noticeOf(account.key, { lease, state }, kind, { ...more, instance, now: clock.now() }));
  }
}
