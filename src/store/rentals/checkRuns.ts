import {
  advanceCheck,
  isCheckOver,
  movedCheck,
  overResult,
  type CheckAnswer,
  type CheckResult,
  type CheckStage,
  type MachineCheck,
} from '../../model/rentals/machineCheck';
import { wait, type Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';

/** Checks a running machine over SSH. */
export interface MachineChecks {
  /** Logs in once and runs the checks. Asks nothing; rejects as cancelled once the signal fires. */
  check(instanceId: number, onStage: (stage: CheckStage) => void, signal: AbortSignal): Promise<CheckAnswer>;
  /** Stores the result of a check for all windows. */
  keep(instanceId: number, check: CheckResult): Promise<void>;
}

export interface CheckRunsDeps {
  readonly checks: MachineChecks;
  readonly clock: Clock;
  readonly log: Log;
  readonly onProgress: (checked: Checked, check: MachineCheck) => void;
  readonly onResult: (checked: Checked, result: CheckResult) => void;
}

/** A machine during one of its starts. */
export interface Checked {
  readonly instanceId: number;
  /** When the start began; milliseconds since 1970. */
  readonly since: number;
}

interface Run extends Checked {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const firstPauseMs = 1000;
const longestPauseMs = 8000;
/** A smaller difference between the time of day and elapsed time is no jump (ms). */
const leastJumpMs = 1000;

/** The checks that run in this window: at most one per machine, each at its own pace. */
export class CheckRuns implements Disposable {
  private readonly runs = new Map<number, Run>();

  constructor(private readonly deps: CheckRunsDeps) {}

  /** Starts and ends checks until exactly the wanted ones run. */
  sync(wanted: readonly (Checked & { readonly check: MachineCheck })[]): void {
    for (const run of this.runs.values()) {
      const isWanted = wanted.some(
        ({ instanceId, since }) => instanceId === run.instanceId && since === run.since,
      );
      if (!isWanted) {
        run.abort.abort();
      }
    }
    for (const { instanceId, since, check } of wanted) {
      const before = this.runs.get(instanceId);
      if (before?.since !== since || before.abort.signal.aborted) {
        this.begin({ instanceId, since }, check, before?.done);
      }
    }
  }

  dispose(): void {
    this.sync([]);
  }

  /** A check that was canceled may still hold a login, so the next one waits for it. */
  private begin(checked: Checked, check: MachineCheck, before: Promise<void> = Promise.resolve()): void {
    const abort = new AbortController();
    const done = before
      .then(() => this.follow(checked, check, abort.signal))
      .catch((error: unknown) => {
        if (!isCancelled(error)) {
          this.deps.log.error(`Instance ${checked.instanceId} could not be checked`, error);
          this.deps.onResult(checked, { kind: 'notChecked', reason: 'failed' });
        }
      })
      .finally(() => {
        if (this.runs.get(checked.instanceId)?.abort === abort) {
          this.runs.delete(checked.instanceId);
        }
      });
    this.runs.set(checked.instanceId, { ...checked, abort, done });
  }

  private async follow(checked: Checked, begun: MachineCheck, signal: AbortSignal): Promise<void> {
    const { checks, clock, onProgress, onResult } = this.deps;
    let check = begun;
    let awayMs = clock.now() - clock.elapsed();
    /** Moves the times of the check with a clock that was set, or that went on while the computer slept. */
    const moveAlong = () => {
      const byMs = clock.now() - clock.elapsed() - awayMs;
      if (Math.abs(byMs) > leastJumpMs) {
        awayMs += byMs;
        check = movedCheck(check, byMs);
      }
    };
    const advance = (answer: Pick<MachineCheck, 'stage' | 'problem' | 'detail'>) => {
      if (!signal.aborted) {
        moveAlong();
        check = advanceCheck(check, answer, clock.now());
        onProgress(checked, check);
      }
    };
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const answer = await checks.check(checked.instanceId, (stage) => advance({ stage }), signal);
      signal.throwIfAborted();
      if (answer.kind !== 'waits') {
        onResult(checked, answer);
        return;
      }
      advance(answer);
      if (isCheckOver(check, clock.now())) {
        onResult(checked, overResult(answer));
        return;
      }
      await wait(clock, pauseMs, signal);
    }
  }
}
