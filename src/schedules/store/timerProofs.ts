import { randomBytes } from 'node:crypto';
import type { Instance } from '../../model/instances/instance';
import { isReady, stateOf } from '../../model/instances/instanceState';
import { watchAccounts } from '../../shared/followAccount';
import type { Account, Accounts } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import type { Notices } from '../../store/windows/notices';
import type { Presence } from '../../store/windows/presence';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { isWithin } from '../../util/duration';
import type { Log } from '../../util/log';
import type { ArmedTimer, Schedule } from '../model/schedule';
import type { InstanceSchedules } from './instanceSchedules';
import { noticeOf } from './scheduleNotice';

/** The result of a check: the timer can act, the timer has ended, or no result. */
export type TimerProof = 'armed' | 'gone' | 'nothing';

/** `notAsked`: nothing was sent. `notKnown`: it may run. */
export type ArmResult = 'armed' | 'notArmed' | 'notAsked' | 'notKnown';

export interface TimerProofsDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly fleet: Pick<Fleet, 'find' | 'facts' | 'onDidChange'>;
  readonly hub: WindowHub;
  readonly schedules: InstanceSchedules;
  readonly presence: Presence;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly aliasOf: (account: Account, instanceId: number) => string;
  readonly check: CheckTimer;
  /** Absent for accounts that are not active, whose timers are only checked. */
  readonly arm?: ArmTimer;
  /** Ends what runs on the machine; returns whether that is proved. */
  readonly end?: (account: Account, instance: Instance) => Promise<boolean>;
}

/** Starts the timer of an agreed end; never asks the user. */
export type ArmTimer = (
  account: Account,
  instance: Instance,
  schedule: Schedule,
  token: string,
  /** Called right before it is started, which false prevents. */
  mayStart: () => Promise<boolean>,
) => Promise<ArmResult>;

/** Logs in and checks whether the timer process lives; never asks the user. */
export type CheckTimer = (
  account: Account,
  instance: Instance,
  schedule: Schedule,
  armed: ArmedTimer,
) => Promise<TimerProof>;

/** An older proof is renewed (ms). */
const proofLastsMs = 24 * 3_600_000;
/** A check without a result is repeated after this time (ms). */
const retryMs = 3_600_000;
/** A timer that could not be started is tried again after this time (ms). */
const armAgainMs = 15 * 60_000;
/** A connection right after a proof needs no new one (ms). */
const freshMs = 60_000;

/** Returns whether the proof is from yesterday; a clock that was set back also invalidates it. */
export function isProofOld({ provedAt, isDoubtful }: ArmedTimer, now: number): boolean {
  return isDoubtful === true || !isWithin(proofLastsMs, provedAt, now);
}

/**
 * Repeatedly proves that the timers on instances live: with each connection to an instance, and once a day. Runs in
 * the leading window, which knows the connections of all.
 */
export class TimerProofs implements Disposable {
  private readonly owned = new DisposableStore();
  /** Aliases that windows were connected to at the last look. */
  private connected: ReadonlySet<string> = new Set();
  /** When each timer was last checked, by its token (`Clock.elapsed`). */
  private readonly checkedAt = new Map<string, number>();
  private readonly underWay = new Set<string>();

  constructor(private readonly deps: TimerProofsDeps) {
    const check = () => this.check();
    this.owned.add(deps.presence.onDidChange(check));
    this.owned.add(deps.fleet.onDidChange(check));
    this.owned.add(deps.schedules.onDidChange(check));
    this.owned.add(deps.hub.onDidChangeLeader(check));
    this.owned.add(watchAccounts(deps.accounts, check));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private check(): void {
    const { hub, accounts, schedules, presence, aliasOf } = this.deps;
    const account = accounts.active;
    if (!hub.isLeader || !account) {
      return;
    }
    const before = this.connected;
    const used = schedules.rows
      .map(({ schedule }) => ({ schedule, alias: aliasOf(account, schedule.instanceId) }))
      .filter(({ alias }) => presence.isUsed(alias));
    this.connected = new Set(used.map(({ alias }) => alias));
    const isNew = new Set(used.filter(({ alias }) => !before.has(alias)).map(({ schedule }) => schedule.id));
    for (const { schedule } of schedules.rows) {
      if (this.underWay.has(schedule.id)) {
        // A timer that is being started is not there yet.
        continue;
      }
      if (schedule.armed && this.isDue(schedule, schedule.armed, isNew.has(schedule.id))) {
        void this.prove(account, schedule, schedule.armed);
      } else if (!schedule.armed && this.isToArm(schedule)) {
        void this.arm(account, schedule);
      }
    }
  }

  private isToArm({ id, instanceId, isAgreed, term }: Schedule): boolean {
    const triedMs = this.deps.clock.elapsed() - (this.checkedAt.get(id) ?? -Infinity);
    return isAgreed === true && term.kind === 'idle' && triedMs >= armAgainMs && this.isRunning(instanceId);
  }

  /** Never rejects. The timer counts as one that may run before it is started, so that a cancellation ends it. */
  private async arm(account: Account, schedule: Schedule): Promise<void> {
    const { arm, clock, fleet, log, schedules } = this.deps;
    const instance = fleet.find(schedule.instanceId);
    if (!arm || !instance) {
      return;
    }
    this.underWay.add(schedule.id);
    this.checkedAt.set(schedule.id, clock.elapsed());
    const token = randomBytes(8).toString('hex');
    const mayRun = () => schedules.setArmed(schedule, { token, provedAt: clock.now(), isDoubtful: true });
    try {
      const result = await arm(account, instance, schedule, token, mayRun);
      if (result === 'notAsked') {
        this.checkedAt.set(schedule.id, clock.elapsed() - armAgainMs + freshMs);
      }
      const present = schedules.find(schedule.instanceId)?.schedule;
      const isNoted = present?.armed?.token === token && present.isOnlyOnInstance !== true;
      if (present?.id === schedule.id && isNoted && result !== 'notKnown') {
        await schedules.setArmed(schedule, result === 'armed' ? { token, provedAt: clock.now() } : undefined);
      } else if (!isNoted && (result === 'armed' || result === 'notKnown')) {
        // It was canceled while it was started.
        await this.endUnwanted(account, instance);
      }
    } catch (error) {
      log.warn(`The timer on ${schedule.instanceId} could not be started: ${String(error)}`);
    } finally {
      this.underWay.delete(schedule.id);
    }
  }

  private async endUnwanted(account: Account, instance: Instance): Promise<void> {
    const { end, log, schedules } = this.deps;
    if (await end?.(account, instance)) {
      const left = schedules.find(instance.id)?.schedule;
      await (left?.armed && schedules.setArmed(left, undefined));
    } else {
      log.warn(`A timer that was canceled may run on ${instance.id}`);
    }
  }

  private isRunning(instanceId: number): boolean {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(instanceId);
    return instance !== undefined && isReady(stateOf(instance, fleet.facts(instanceId), clock.now()));
  }

  private isDue({ instanceId }: Schedule, armed: ArmedTimer, isNewConnection: boolean): boolean {
    const { clock } = this.deps;
    const now = clock.now();
    if (!this.isRunning(instanceId)) {
      return false;
    }
    const checkedMs = clock.elapsed() - (this.checkedAt.get(armed.token) ?? -Infinity);
    return isNewConnection
      ? !isWithin(freshMs, armed.provedAt, now) && checkedMs >= freshMs
      : isProofOld(armed, now) && checkedMs >= retryMs;
  }

  /** Never rejects: the user did not ask for it, and the row shows the age of the last proof. */
  private async prove(account: Account, schedule: Schedule, armed: ArmedTimer): Promise<void> {
    const { clock, fleet, log } = this.deps;
    const { token } = armed;
    const instance = fleet.find(schedule.instanceId);
    if (!instance || this.underWay.has(token)) {
      return;
    }
    this.underWay.add(token);
    this.checkedAt.set(token, clock.elapsed());
    try {
      await this.checkTimer(
        account,
        schedule,
        armed,
        await this.deps.check(account, instance, schedule, armed),
      );
    } catch (error) {
      log.warn(`The timer on ${schedule.instanceId} could not be checked: ${String(error)}`);
    } finally {
      this.underWay.delete(token);
    }
  }

  private async checkTimer(
    account: Account,
    schedule: Schedule,
    armed: ArmedTimer,
    proof: TimerProof,
  ): Promise<void> {
    const { schedules, notices, fleet, clock } = this.deps;
    // During the check the timer may have been armed again, its time moved with the clock, or the account changed.
    const present = schedules.find(schedule.instanceId)?.schedule.armed;
    if (present?.token !== armed.token) {
      return;
    }
    if (proof === 'armed') {
      await schedules.setArmed(schedule, { ...present, provedAt: clock.now(), isDoubtful: undefined });
    } else if (
      proof === 'gone' &&
      (await schedules.setArmed(schedule, undefined)) &&
      schedule.isOnlyOnInstance !== true &&
      // It is started again.
      schedule.isAgreed !== true
    ) {
      const row = { schedule, state: { scheduleId: schedule.id } };
      const about = { instance: fleet.find(schedule.instanceId), now: clock.now() };
      notices.post(noticeOf(account.key, row, 'timerGone', about));
    }
  }
}
