import { fetchSeconds } from '../../../src/jobs/model/jobLimits';
import type { AgreedEnd } from '../../../src/model/rentals/agreedEnd';
import type { ScheduleAction } from '../../../src/schedules/model/schedule';

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
/** A list each five minutes, and a look at the clock, may each come late. */
const grace = 8 * minute;
/** What was used shortly before it was asked counts once more from then on. */
const longestIdle = (idleMinutes: number) => 2 * idleMinutes * minute + 15 * minute;

/** What a user confirmed for one machine. Times are those of the world. */
export interface Agreement extends AgreedEnd {
  /** When an agent's machine ends, and how. */
  readonly at?: number;
  readonly then?: ScheduleAction;
}

export type Cause = 'an editor' | 'its timer' | 'its guard' | 'the service';

/** One machine as it is. The product learns of it by lists, logins and a timer alone. */
export interface Machine {
  readonly id: number;
  readonly way: string;
  agreed: Agreement;
  state: 'starting' | 'failed' | 'running' | 'stopped' | 'gone';
  startedAt: number;
  use: 'gpu' | 'terminal' | undefined;
  lastUse: number;
  isSaved: boolean;
  isSilent: boolean;
  /** Since when it answers. */
  answersSince: number;
  /** An editor was open since it was last started or stopped, and may have seen that. */
  isWatched: boolean;
  /** What was chosen before it was last started or stopped may still hold or not. */
  isChoiceDoubtful: boolean;
  /** An open editor has had the time to see that it runs, or that it is stopped. */
  isRunSeen: boolean;
  isStopSeen: boolean;
  /** It was started again before an editor saw its stop, which may be made up for. */
  isEndDoubtful: boolean;
  /** It was stopped by an editor that had just been told that all work is saved. */
  stopped: { readonly at: number; readonly wasProved: boolean };
  /** Its user canceled the end of this time that it runs or rests. */
  isCanceled: boolean;
  /** Until when its user keeps it, and when that was chosen. */
  kept: { readonly until: number; readonly at: number; readonly ahead: number };
  /** The last warning of a destruction. */
  warned: { readonly at: number; readonly ahead: number } | undefined;
  /** Its user was asked what becomes of it, since it last changed. */
  isAsked: boolean;
  /** What counted before it was last started or stopped. */
  before: Choices;
  /** The user replaces it, or destroys it after a question. */
  isGivenUp: boolean;
  /** Its user was told that the timer could not be reached, so that it acts at its old time. */
  isTimerStale: boolean;
  /** The timetable of the service holds its present end, by what its user was shown. */
  entry: { readonly startTime: number; readonly isOld: boolean } | undefined;
  timer:
    | { readonly token: string; readonly idleMs: number; readonly keptUntil: number; idleSince: number }
    | undefined;
  /** Comes with the rental of a job. */
  guard: { readonly seconds: number; job: 'none' | 'running' | 'ended'; endedAt: number } | undefined;
}

type Choices = Pick<Machine, 'isCanceled' | 'isAsked' | 'warned' | 'kept'>;

export const noChoices: Choices = {
  isCanceled: false,
  isAsked: false,
  warned: undefined,
  kept: { until: 0, at: 0, ahead: 0 },
};

export function newMachine(id: number, way: string, agreed: Agreement, time: number): Machine {
  return {
    ...{ id, way, agreed, state: 'starting', startedAt: time, use: undefined, lastUse: time },
    ...{ isSaved: true, isSilent: false, answersSince: time, stopped: { at: 0, wasProved: false } },
    ...{
      isWatched: false,
      isChoiceDoubtful: false,
      isRunSeen: false,
      isStopSeen: false,
      isEndDoubtful: false,
    },
    ...noChoices,
    ...{
      before: noChoices,
      isGivenUp: false,
      isTimerStale: false,
      entry: undefined,
      timer: undefined,
      guard: undefined,
    },
  };
}

/**
 * The hidden books: what was agreed, what happened, and who could have acted, by a time that no clock shows. They know
 * nothing of what the product keeps.
 */
export class Ledger {
  readonly violations: string[] = [];
  readonly machines: Machine[] = [];
  /** By how much the clock of the computer was set forward and back so far (ms). */
  ahead = 0;
  behind = 0;
  /** Since when an editor is open and awake, and the service answers it. */
  editorSince: number | undefined;

  /** `time` is the time of the world (ms). */
  constructor(private readonly time: () => number) {}

  say(machine: Pick<Machine, 'id' | 'way'>, what: string): void {
    const text = `#${machine.id} (${machine.way}) ${what} (${Math.round(this.time() / minute)} min)`;
    if (this.violations.length < 20) {
      this.violations.push(text);
    }
  }

  find(id: number | undefined): Machine | undefined {
    return this.machines.find((one) => one.id === id);
  }

  /** A request to stop arrived, or something on the machine or at the service stopped it. */
  stopping(machine: Machine, by: Cause): void {
    const time = this.time();
    const { agreed, kept, lastUse, use, guard } = machine;
    if (machine.state !== 'running' && machine.state !== 'starting') {
      this.say(machine, `was stopped by ${by} while it was ${machine.state}`);
      return;
    }
    const isStale = machine.isChoiceDoubtful || (by === 'its timer' && machine.isTimerStale);
    if (
      machine.isCanceled &&
      !isStale &&
      by !== 'its guard' &&
      !(by === 'the service' && machine.entry?.isOld)
    ) {
      this.say(machine, `was stopped by ${by} after its end was canceled`);
    }
    if (by === 'its guard') {
      const isDue =
        guard?.job === 'ended'
          ? time - guard.endedAt >= fetchSeconds * 1000
          : time - machine.startedAt >= (guard?.seconds ?? Infinity) * 1000;
      if (guard?.job === 'running' || !isDue) {
        this.say(machine, 'was stopped by its guard too early');
      }
      return;
    }
    const keptFor = kept.until - time - (this.ahead - kept.ahead);
    if (keptFor > grace && !isStale && !(by === 'the service' && machine.entry?.isOld)) {
      this.say(
        machine,
        `was stopped by ${by} ${Math.round(keptFor / minute)} min before it was to be kept until`,
      );
    }
    if (agreed.at !== undefined) {
      const early = agreed.at - time - this.ahead;
      if (early > grace) {
        this.say(machine, `was stopped by ${by} ${Math.round(early / minute)} min before its end`);
      }
      return;
    }
    const idle = time - lastUse;
    if (agreed.idleMinutes === 0 || use !== undefined || idle < agreed.idleMinutes * minute - grace) {
      this.say(
        machine,
        `was stopped by ${by} after ${Math.round(idle / minute)} min of ${agreed.idleMinutes}`,
      );
    }
  }

  /** A request to destroy arrived. */
  destroying(machine: Machine): void {
    const time = this.time();
    const { agreed, stopped, warned } = machine;
    if (machine.isGivenUp) {
      return;
    }
    if (machine.state === 'gone') {
      this.say(machine, 'was destroyed twice');
    }
    if (machine.isCanceled && !machine.isChoiceDoubtful) {
      this.say(machine, 'was destroyed after its end was canceled');
    }
    if (agreed.then === 'destroy' && agreed.at !== undefined) {
      // Its user confirmed this time with the question of the agent.
      const early = Math.max(agreed.at, machine.kept.until) - time - this.ahead;
      if (early > grace) {
        this.say(machine, `was destroyed ${Math.round(early / minute)} min before its end`);
      }
      return;
    }
    if (machine.state !== 'stopped') {
      this.say(machine, `was destroyed while it was ${machine.state}`);
    }
    if (!machine.isSaved || !stopped.wasProved) {
      this.say(machine, 'was destroyed with work unsaved or unknown');
    }
    const rested = time - stopped.at + this.ahead;
    if (agreed.destroyAfterDays === 0 || rested < agreed.destroyAfterDays * day - grace) {
      this.say(machine, `was destroyed after it was stopped for ${Math.round(rested / hour)} h`);
    }
    const warnedMs = warned === undefined ? 0 : time - warned.at + this.ahead - warned.ahead;
    if (warnedMs < day - grace) {
      this.say(machine, `was destroyed ${Math.round(warnedMs / minute)} min after its warning`);
    }
  }

  /** Whoever can act has acted in time. */
  check(): void {
    for (const machine of this.machines) {
      const why = machine.isCanceled || machine.isGivenUp ? undefined : this.overdue(machine);
      if (why !== undefined) {
        this.say(machine, why);
        machine.isCanceled = true;
      }
    }
  }

  private overdue(machine: Machine): string | undefined {
    const time = this.time();
    const { agreed, kept, state, stopped } = machine;
    const editor = this.editorSince;
    if (state === 'running') {
      const keptUntil = kept.until === 0 ? 0 : kept.until + this.behind;
      if (agreed.at !== undefined) {
        return machine.isEndDoubtful
          ? undefined
          : this.overdueAt(machine, Math.max(agreed.at + this.behind, keptUntil));
      }
      if (agreed.idleMinutes === 0 || machine.use !== undefined) {
        return undefined;
      }
      const since = Math.max(machine.lastUse, machine.startedAt, kept.at);
      const idleMs = agreed.idleMinutes * minute;
      const byEditor = editor === undefined ? Infinity : Math.max(since, editor, machine.answersSince);
      if (time > Math.max(byEditor + longestIdle(agreed.idleMinutes), keptUntil + grace)) {
        return 'outlived its agreed end, with an editor open';
      }
      const timer = machine.timer?.idleSince ?? Infinity;
      if (time > Math.max(timer + idleMs + 2 * minute, machine.timer?.keptUntil ?? 0)) {
        return 'outlived its agreed end, with its timer at work';
      }
    } else if (state === 'stopped' && agreed.destroyAfterDays > 0 && agreed.at === undefined) {
      const from = Math.max(stopped.at, editor ?? Infinity);
      const due = Math.max(from + agreed.destroyAfterDays * day, kept.until) + this.behind;
      if (!machine.isAsked && time > due + hour) {
        return 'was neither destroyed nor asked about';
      }
    }
    return undefined;
  }

  private overdueAt(machine: Machine, at: number): string | undefined {
    const time = this.time();
    const editor = this.editorSince ?? Infinity;
    if (machine.agreed.then === 'destroy' && machine.isAsked) {
      return undefined;
    }
    if (time > Math.max(at, editor) + 12 * minute) {
      return 'outlived its end at a time, with an editor open';
    }
    const { entry } = machine;
    if (entry && !entry.isOld && time > at + 2 * hour + 5 * minute) {
      return 'outlived its end at a time, with an entry at the service';
    }
    return undefined;
  }
}
