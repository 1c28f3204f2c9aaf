import { stateOf } from '../../model/instances/instanceState';
import { mayAct } from '../../shared/oneWindow';
import type { Account, Accounts } from '../../store/accounts/accounts';
import { carryOut } from '../../store/instances/carryOut';
import { readPresence, tidyAfterMs } from '../../store/instances/ends';
import type { Fleet } from '../../store/instances/fleetStore';
import type { IdleWatch } from '../../store/instances/idleWatch';
import type { Notices } from '../../store/windows/notices';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { defined } from '../../util/defined';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import {
  actingMs,
  asksFirst,
  isAgreedDestroy,
  isBeingCarriedOut,
  isProvedGone,
  movedBack,
  retryAfterMs,
  stateMovedBack,
  stepOf,
  type Schedule,
  type ScheduleState,
} from '../model/schedule';
import type { InstanceSchedules } from './instanceSchedules';
import { isUsedByKernels, type AskKernels } from './kernelUse';
import type { ScheduleRow } from './scheduleFiles';
import { noticeOf, type ScheduleNotice } from './scheduleNotice';

export interface ScheduleRunnerDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Fleet;
  readonly hub: WindowHub;
  readonly schedules: InstanceSchedules;
  readonly idle: Pick<IdleWatch, 'facts' | 'idleSince' | 'noteUse' | 'onDidCheck'>;
  readonly kernelUse: AskKernels;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Called for each destroyed instance; set if no list shows the instances, so that only their records show an end.
   */
  readonly onDestroyed?: (instanceId: number) => void;
  /** Absent for accounts that are not active: what is stopped for them counts as unsaved. */
  readonly saved?: SavedWork;
  readonly isSaving?: AskSaving | undefined;
}

/** Returns whether files of an instance are being saved, which its end would cut off. Never rejects. */
export type AskSaving = (
  accountKey: string,
  schedule: Pick<Schedule, 'instanceId' | 'action'>,
) => Promise<boolean>;

/** What a machine says of its work right before it is stopped as agreed, which is kept with its rental. */
export interface SavedWork {
  /** Never asks the user. No answer, and one that is not whole, is false. */
  isAllSaved(account: Account, instanceId: number, signal: AbortSignal): Promise<boolean>;
  note(instanceId: number, savedAt: number | undefined): Promise<void>;
}

/** Timers stop while a computer sleeps, so the clock is checked this often (ms). */
const scheduleTickMs = 15_000;
/** A clock that moves back by more than this was set, not just corrected (ms). */
const setBackMs = 30_000;
/** How often the service is asked about an instance whose time passed while no editor was open (ms). */
const askEveryMs = 3_600_000;
const askAgainMs = 60_000;

/** Carries out schedules in the leading window. Without a schedule there is no timer. */
export class ScheduleRunner implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly stop = new AbortController();
  private isBusy = false;
  private isWanted = false;
  private lastNow = -Infinity;
  /** Until when the user is not asked again about a missed schedule, by schedule (`Clock.elapsed`). */
  private readonly askedUntil = new Map<string, number>();

  constructor(private readonly deps: ScheduleRunnerDeps) {
    const { fleet, hub, schedules, idle } = deps;
    const check = () => this.check();
    // A window that was killed right after setting a schedule announced it to no window, so the leader rereads with
    // each list.
    this.owned.add(fleet.onDidChange(() => (hub.isLeader ? void schedules.rereadAll() : undefined)));
    // Fires after each read, also that of another account or leader.
    this.owned.add(schedules.onDidChange(check));
    this.owned.add(idle.onDidCheck(check));
    this.check();
  }

  dispose(): void {
    this.stop.abort();
    this.owned.dispose();
  }

  /** Checks all schedules; changes during a check are handled by another one. */
  private check(): void {
    const { hub, accounts, schedules } = this.deps;
    if (this.owned.isDisposed || !hub.isLeader || !accounts.active || schedules.rows.length === 0) {
      this.timer.value = undefined;
      return;
    }
    this.isWanted = true;
    if (!this.isBusy) {
      this.isBusy = true;
      void this.checkAll().finally(() => {
        this.isBusy = false;
        this.plan();
      });
    }
  }

  private plan(): void {
    const { hub, schedules, clock } = this.deps;
    const hasWork = !this.owned.isDisposed && hub.isLeader && schedules.rows.length > 0;
    this.timer.value = hasWork ? clock.schedule(() => this.check(), scheduleTickMs) : undefined;
  }

  /** Checks all schedules; never rejects. */
  private async checkAll(): Promise<void> {
    while (this.isWanted && !this.owned.isDisposed) {
      this.isWanted = false;
      try {
        await this.deps.schedules.ready;
        await this.followClock();
      } catch (error) {
        this.deps.log.error('The schedules could not be looked at', error);
      }
      const checks = this.deps.schedules.rows.map((row) =>
        this.checkSchedule(row).catch((error: unknown) => {
          this.deps.log.error(`The schedule of ${row.schedule.instanceId} could not be looked at`, error);
        }),
      );
      await Promise.all(checks);
    }
  }

  /** Preserves the remaining time of each schedule when the clock is set back, even while no editor was open. */
  private async followClock(): Promise<void> {
    const { clock, schedules } = this.deps;
    const now = clock.now();
    for (const { schedule, state } of schedules.rows) {
      const noted = Math.max(schedule.setAt, schedule.armed?.provedAt ?? 0, state.warnedAt ?? 0);
      const byMs = Math.max(this.lastNow, noted) - now;
      if (byMs > setBackMs && (await schedules.amend(movedBack(schedule, byMs)))) {
        await schedules.putState(schedule.instanceId, stateMovedBack(state, byMs));
      }
    }
    this.lastNow = now;
  }

  private async checkSchedule(row: ScheduleRow): Promise<void> {
    const { accounts, schedules, clock } = this.deps;
    const { schedule } = row;
    const account = accounts.active;
    if (!account || this.owned.isDisposed || (await this.isOver(row))) {
      return;
    }
    if (row.state.missedAt !== undefined) {
      await this.askAbout(account, row);
      return;
    }
    // A request that may have left is looked after first, even if the instance is in use again.
    const mayBeSent = row.state.sentAt !== undefined || isBeingCarriedOut(row.state, clock.now());
    const state = mayBeSent ? row.state : await this.withIdle(row);
    const facts = this.deps.fleet.facts(schedule.instanceId);
    const step = stepOf(schedule, state, clock.now(), facts);
    const isDue = step.kind === 'warn' || step.kind === 'fire';
    const isUsed =
      isDue &&
      ((await this.deps.isSaving?.(account.key, schedule)) === true ||
        (await isUsedByKernels(this.deps, account, { schedule, state }, this.stop.signal)));
    // If the window has closed, the next one does the rest.
    if (this.stop.signal.aborted || (isUsed && !mayBeSent)) {
      return;
    }
    switch (step.kind) {
      case 'wait':
        return;
      case 'warn': {
        const isAnnounced = !asksFirst(schedule, facts);
        const warned = { ...state, warnedAt: clock.now(), isAnnounced };
        await schedules.putState(schedule.instanceId, warned);
        this.postNotice(account, schedule, warned, isAnnounced ? 'soon' : 'missed');
        return;
      }
      case 'miss':
        await schedules.putState(schedule.instanceId, { ...state, missedAt: clock.now() });
        return;
      case 'fire':
        await this.fire(account, schedule, state, step.isLate);
    }
  }

  /** Reads the instance before claiming that it costs money: its own timer may have destroyed it. */
  private async askAbout(account: Account, { schedule, state }: ScheduleRow): Promise<void> {
    const { clock, schedules } = this.deps;
    const now = clock.elapsed();
    if (now < (this.askedUntil.get(schedule.id) ?? 0)) {
      return;
    }
    this.askedUntil.set(schedule.id, now + askAgainMs);
    const { kind } = await readPresence(account.client, schedule.instanceId, this.stop.signal);
    if (kind === 'there') {
      this.askedUntil.set(schedule.id, now + askEveryMs);
      this.postNotice(account, schedule, state, 'missed');
    } else if (kind === 'ended') {
      this.postNotice(account, schedule, state, 'destroyed');
      // A list will show the end, which must then be known as scheduled.
      await (this.deps.onDestroyed ? schedules.finish(schedule) : this.ended(schedule, state));
    }
  }

  /** Ends a schedule whose instance is gone, or already stopped if that was the goal. */
  private async isOver({ schedule, state }: ScheduleRow): Promise<boolean> {
    const { fleet, schedules, accounts, clock } = this.deps;
    const list = fleet.state;
    if (list.kind !== 'ready' || list.error !== undefined) {
      return false;
    }
    // A list from before the schedule is not used, nor is one that only looks newer because the clock was set back.
    if (list.fetchedAt < schedule.setAt || list.fetchedAt > clock.now()) {
      return false;
    }
    const instance = fleet.find(schedule.instanceId);
    if (!instance) {
      return fleet.hasEnded(schedule.instanceId) && (await this.ended(schedule, state));
    }
    if (state.endedAt !== undefined) {
      await schedules.putState(schedule.instanceId, { ...state, endedAt: undefined });
    }
    const request = fleet.facts(instance.id).lastRequest;
    const kind = stateOf(instance, fleet.facts(instance.id), clock.now());
    const { armed } = schedule;
    const isTimerGone = armed !== undefined && isProvedGone(armed, instance, request, list.fetchedAt);
    if (isTimerGone) {
      const action = armed.action ?? schedule.action;
      if (action === 'stop' && kind === 'stopped' && request?.kind !== 'stop' && accounts.active) {
        this.postNotice(accounts.active, schedule, state, 'stoppedItself');
      }
      await schedules.setArmed(schedule, undefined);
      if (schedule.isOnlyOnInstance === true) {
        return true;
      }
    }
    if (isAgreedDestroy(schedule) && kind !== 'stopped') {
      // It was started again: its end follows from that.
      return true;
    }
    if (schedule.action === 'stop' && kind === 'stopped') {
      await schedules.finish(schedule);
      return true;
    }
    if (isTimerGone && schedule.isAgreed !== true && accounts.active) {
      this.postNotice(accounts.active, schedule, state, 'timerGone');
    }
    return false;
  }

  /** Finishes a schedule; the user's decision is kept for a day in case the service was wrong. */
  private async ended(schedule: Schedule, state: ScheduleState): Promise<true> {
    const { schedules, clock, fleet } = this.deps;
    const { instanceId } = schedule;
    const now = clock.now();
    const request = fleet.facts(instanceId).lastRequest;
    if (request?.kind === 'destroy' && request.tookEffect === true) {
      // A destroy was requested later and is confirmed.
      await schedules.finish(schedule);
    } else if (state.endedAt === undefined) {
      await schedules.putState(instanceId, { ...state, endedAt: now });
    } else if (now - state.endedAt > tidyAfterMs) {
      await schedules.finish(schedule);
    }
    return true;
  }

  private async withIdle({ schedule, state }: ScheduleRow): Promise<ScheduleState> {
    if (schedule.term.kind !== 'idle' || state.missedAt !== undefined) {
      return state;
    }
    const { idle } = this.deps;
    // The user set a schedule with this instance in view; an end that was agreed before it existed needs figures.
    const isProved = schedule.isAgreed !== true || idle.facts(schedule.instanceId)?.knowsGpu === true;
    const since = isProved ? idle.idleSince(schedule.instanceId) : undefined;
    const idleSince = since === undefined ? undefined : Math.max(since, schedule.setAt);
    if (idleSince === state.idleSince) {
      return state;
    }
    // The instance was used in between, so the earlier warning and tries no longer apply. The tries still count, because
    // each is claimed by its number.
    const { scheduleId, attempts } = state;
    const next = defined<ScheduleState>({ scheduleId, idleSince, attempts });
    await this.deps.schedules.putState(schedule.instanceId, next);
    return next;
  }

  private async fire(
    account: Account,
    schedule: Schedule,
    state: ScheduleState,
    isLate: boolean,
  ): Promise<void> {
    const { hub, schedules, clock, log, fleet } = this.deps;
    const { instanceId } = schedule;
    const attempts = (state.attempts ?? 0) + 1;
    const isMine = await mayAct(hub, `${account.key}:schedule:${schedule.id}:${attempts}`);
    // The user may have canceled or extended it a moment ago.
    const last = await schedules.reread(instanceId);
    if (last?.schedule.id !== schedule.id) {
      return;
    }
    if (!isMine) {
      if ((last.state.attempts ?? 0) >= attempts) {
        // The window that claimed it has written how far it is.
        return;
      }
      await schedules.putState(instanceId, { ...last.state, attempts, nextTryAt: clock.now() + actingMs });
      return;
    }
    const now = clock.now();
    const acting = { ...state, attempts, nextTryAt: now + actingMs, actingSince: now };
    await schedules.putState(instanceId, acting);
    const isStillDue = async () =>
      (await this.withIdle({ schedule, state: acting })).idleSince === acting.idleSince &&
      (await this.deps.isSaving?.(account.key, schedule)) !== true &&
      !asksFirst(schedule, fleet.facts(instanceId));
    try {
      if (schedule.term.kind === 'idle' || schedule.isAgreed === true) {
        // The last figures may be minutes old.
        await fleet.refresh();
      }
      const savedAt = (await this.isSaved(account, schedule)) ? clock.now() : undefined;
      const done = await carryOut(this.deps, account, schedule, {
        by: 'schedule',
        signal: this.stop.signal,
        // A window that hung on the way is no longer the acting one.
        isStillWanted: async () => {
          await this.noteSaved(schedule, savedAt);
          return (await isStillDue()) && (await schedules.isAboutToSend(schedule, acting)) && hub.isLeader;
        },
      });
      if (done === 'notConfirmed') {
        await this.noteSaved(schedule, undefined);
        log.warn(`Instance ${instanceId} is not seen to be gone or stopped yet`);
        await this.failed(account, schedule, acting, { wasSent: true });
        return;
      }
      this.postNotice(account, schedule, state, done, { isLate });
      await schedules.finish(schedule);
    } catch (error) {
      // It may work on, so that what it said says nothing about a later stop.
      await this.noteSaved(schedule, undefined);
      if (isCancelled(error)) {
        // This window closes, and the next one checks what happened; or the user changed the schedule or the instance is
        // in use.
        return;
      }
      log.warn(`The schedule of ${instanceId} could not be carried out: ${String(error)}`);
      const problem = error instanceof UserError ? error.text : undefined;
      await this.failed(account, schedule, acting, { wasSent: false, problem });
    }
  }

  private async isSaved(account: Account, { instanceId, isAgreed, action }: Schedule): Promise<boolean> {
    const { saved } = this.deps;
    return (
      saved !== undefined &&
      isAgreed === true &&
      action === 'stop' &&
      (await saved.isAllSaved(account, instanceId, this.stop.signal))
    );
  }

  private async noteSaved({ instanceId, isAgreed, action }: Schedule, at: number | undefined): Promise<void> {
    if (isAgreed === true && action === 'stop') {
      await this.deps.saved?.note(instanceId, at);
    }
  }

  private async failed(
    account: Account,
    schedule: Schedule,
    acting: ScheduleState,
    { wasSent, ...more }: { readonly wasSent: boolean } & Pick<ScheduleNotice, 'problem'>,
  ): Promise<void> {
    const { schedules, clock } = this.deps;
    const now = clock.now();
    const failed = {
      ...acting,
      nextTryAt: now + retryAfterMs(acting.attempts ?? 1),
      actingSince: undefined,
      ...(wasSent ? { sentAt: now } : {}),
    };
    await schedules.putState(schedule.instanceId, failed);
    this.postNotice(account, schedule, failed, 'failed', more);
  }

  private postNotice(
    account: Account,
    schedule: Schedule,
    state: ScheduleState,
    kind: ScheduleNotice['kind'],
    more: Pick<ScheduleNotice, 'isLate' | 'problem'> = {},
  ): void {
    const { fleet, notices, clock } = this.deps;
    const instance = fleet.find(schedule.instanceId);
    if (kind === 'destroyed') {
      this.deps.onDestroyed?.(schedule.instanceId);
    }
    notices.post(noticeOf(account.key, { schedule, state }, kind, { ...more, instance, now: clock.now() }));
  }
}
