import { isChanging, stateOf, type InstanceFacts } from '../../model/instances/instanceState';
import { backOffMs, pollIntervalMs } from '../../model/instances/pollPlan';
import type { Loaded } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { Accounts } from '../accounts/accounts';
import { describeError } from './fleetShared';
import type { FleetSnapshot } from './fleetStore';
import type { RememberedFacts } from './rememberedFacts';

interface PollerDeps {
  readonly clock: Clock;
  /** 0 to 1, to spread retries. */
  readonly random: () => number;
  /** Milliseconds between two reads; undefined for never. */
  readonly interval: () => number | undefined;
  /** Reads once; a rejection counts as a failure and delays the next read. */
  readonly read: (options: { readonly signal: AbortSignal; readonly isUnasked: boolean }) => Promise<void>;
}

/** Timers stop while a computer sleeps, so the clock is checked at least this often (ms). */
const longestTimerMs = 30_000;

/** Runs one read at a time, at an interval that may change at any moment. */
export class Poller implements Disposable {
  private readonly timer = new MutableDisposable<Disposable>();
  private abort = new AbortController();
  private reads = this.newReads();
  private isReading = false;
  private attemptedAt = 0;
  private failures = 0;
  private pauseMs = 0;

  constructor(private readonly deps: PollerDeps) {}

  /** Drops all state and stops the current read, for another account. */
  reset(): void {
    this.abort.abort();
    this.abort = new AbortController();
    this.timer.value = undefined;
    this.reads = this.newReads();
    this.isReading = false;
    this.attemptedAt = 0;
    this.failures = 0;
    this.pauseMs = 0;
  }

  /** Notes that another window read at this time (ms); the next read counts from it. */
  wasReadAt(time: number): void {
    this.attemptedAt = Math.max(this.attemptedAt, time);
  }

  /** Notes that the service works again: a failed read is retried immediately. */
  recovered(): void {
    if (this.failures > 0 && !this.isReading) {
      this.countFailures(this.abort.signal, 0);
      this.attemptedAt = 0;
      this.plan();
    }
  }

  /** Sets the timer again; call it when the inputs of `interval` change. */
  plan(): void {
    this.timer.value = undefined;
    const interval = this.isReading || this.abort.signal.aborted ? undefined : this.deps.interval();
    if (interval === undefined) {
      return;
    }
    const now = this.deps.clock.now();
    if (now < this.attemptedAt) {
      // The clock was set back, so a time in the future means nothing.
      this.attemptedAt = 0;
    }
    const dueAt = this.attemptedAt + Math.max(interval, this.pauseMs);
    const wake = () => {
      if (dueAt <= this.deps.clock.now()) {
        // The error is part of the state that every view shows.
        void this.reads.ask(true).catch(() => undefined);
      } else {
        this.plan();
      }
    };
    this.timer.value = this.deps.clock.schedule(wake, Math.min(Math.max(dueAt - now, 0), longestTimerMs));
  }

  /** Starts a read after this moment; callers during a read share the next one. */
  readNow(): Promise<void> {
    return this.reads.ask(false);
  }

  dispose(): void {
    this.abort.abort();
    this.timer.dispose();
  }

  private newReads(): NextRead<void, boolean> {
    const { signal } = this.abort;
    return new NextRead((isUnasked) => (signal.aborted ? Promise.resolve() : this.poll(signal, isUnasked)));
  }

  private async poll(signal: AbortSignal, isUnasked: boolean): Promise<void> {
    this.timer.value = undefined;
    this.isReading = true;
    this.attemptedAt = this.deps.clock.now();
    try {
      await this.deps.read({ signal, isUnasked });
      this.countFailures(signal, 0);
    } catch (error) {
      // The attempt itself may have taken a minute.
      this.attemptedAt = this.deps.clock.now();
      this.countFailures(signal, this.failures + 1);
      throw error;
    } finally {
      if (!signal.aborted) {
        this.isReading = false;
        this.plan();
      }
    }
  }

  private countFailures(signal: AbortSignal, failures: number): void {
    if (!signal.aborted) {
      this.failures = failures;
      this.pauseMs = backOffMs(failures, this.deps.random());
    }
  }
}

/** A stop usually takes seconds; after this time the instance is polled like any other that changes. */
const freshStopMs = 30_000;

function isFreshStop({ lastRequest }: InstanceFacts, now: number): boolean {
  return lastRequest?.kind === 'stop' && Math.abs(now - lastRequest.at) < freshStopMs;
}

export interface FleetSituation {
  readonly state: Loaded<FleetSnapshot>;
  readonly isSignedIn: boolean;
  /** A rental waits for its outcome. */
  readonly isAwaited: boolean;
  readonly isInView: boolean;
  readonly memory: RememberedFacts;
  readonly now: number;
}

/** Returns the milliseconds between two lists; undefined for never. */
export function fleetIntervalMs(situation: FleetSituation): number | undefined {
  const { state, isSignedIn, isAwaited, isInView, memory, now } = situation;
  const instances = state.kind === 'ready' ? state.value.instances : [];
  const kinds = instances.map((one) => stateOf(one, memory.facts(one.id), now));
  return pollIntervalMs({
    isStopping: instances.some(
      ({ id }, index) => kinds[index] === 'stopping' && isFreshStop(memory.facts(id), now),
    ),
    isSignedIn,
    instances:
      state.kind === 'ready'
        ? { anyChanging: kinds.some(isChanging), anyBilling: kinds.length > 0 }
        : undefined,
    isDoubtful: state.kind === 'ready' && state.value.unconfirmed !== undefined,
    isAwaited: isAwaited || memory.hasOpenDestruction(now),
    isInView,
  });
}

/** Credit changes slowly, so it is read at most this often (ms). A manual refresh reads it at once. */
const everyMs = 5 * 60_000;

/** Reads the credit of the active account from time to time, together with its instances. */
export class CreditReads {
  private readAt = 0;

  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'refreshUser'>;
      readonly clock: Pick<Clock, 'now'>;
      readonly log: Log;
    },
  ) {}

  /** Called when another account becomes active, because its credit was just read. */
  begin(): void {
    this.readAt = this.deps.clock.now();
  }

  /** Reads the credit if it is due. */
  refresh(): void {
    const { accounts, clock, log } = this.deps;
    const now = clock.now();
    if (Math.abs(now - this.readAt) < everyMs) {
      return;
    }
    this.readAt = now;
    accounts.refreshUser().catch((error: unknown) => {
      log.warn(`The account could not be read: ${describeError(error)}`);
    });
  }
}
