import * as z from 'zod';
import { troubleOf, type StartOutcome, type StartWatch, type Trouble } from '../../model/rentals/startWatch';
import { channel } from '../../shared/channel';
import type { OneWindow } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { DestroyedAgain, type DestroyedAgainDeps } from '../instances/destroyedAgain';
import type { WindowHub } from '../windows/windowHub';
import type { Rental, RentalChange, RentalStore } from './rentalStore';
import { startEvent, type StartEvent } from './startEvent';

interface Deps {
  readonly rentals: Pick<RentalStore, 'update'>;
  readonly news: Pick<StartNews, 'deliver' | 'markDelivered'>;
  readonly troubles: Pick<Troubles, 'noteFailed'>;
  readonly log: Log;
}

/** A watch that has ended. */
interface Ended {
  readonly watch: StartWatch;
  /** The rental that waits for the machine, if any. */
  readonly marker: string | undefined;
  /** The host's last message. */
  readonly message: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Changes the phase of a rental that still waits: an outcome that another window stored stays. */
export function ifWaiting(phase: Rental['phase']) {
  return (stored: Rental): RentalChange | undefined => (mayBecome(stored, phase) ? { phase } : undefined);
}

/** Only readiness follows a failure here: a machine may run after its time. */
function mayBecome({ phase: stored }: Rental, phase: Rental['phase']): boolean {
  return stored.kind === 'waiting' || (stored.kind === 'failed' && phase.kind === 'ready');
}

/** Returns what an event states about the start of a machine that was reported as failed. */
export function lateness({ failed }: StartWatch): { readonly isLate?: true } {
  return failed === undefined ? {} : { isLate: true };
}

/** Stores and reports the outcomes of starting machines. */
export class StartOutcomes {
  /** Rentals whose outcome the disk refuses to store. It is tried with each list, and logged once. */
  private readonly refused = new Set<string>();

  constructor(private readonly deps: Deps) {}

  async settle(outcome: StartOutcome, { watch, marker, message, at }: Ended): Promise<void> {
    const { news, troubles } = this.deps;
    const { instanceId } = watch;
    const key = `${instanceId}:${watch.since}`;
    switch (outcome.kind) {
      case 'ready':
        await this.mark(marker, { kind: 'ready', instanceId, at });
        news.deliver(`ready:${key}`, { kind: 'ready', instanceId, ...lateness(watch) });
        break;
      case 'failed': {
        const { reason, hadData } = outcome;
        const words = message === undefined ? {} : { message };
        // The failure message already covers this trouble.
        troubles.noteFailed(instanceId, reason);
        await this.mark(marker, { kind: 'failed', instanceId, at, reason, hadData, ...words });
        const isSecond = watch.failed !== undefined;
        news.deliver(isSecond ? `failed:${key}:${reason}` : `failed:${key}`, {
          kind: 'failed',
          instanceId,
          reason,
          hadData,
          ...words,
        });
        break;
      }
      case 'ended':
        await this.mark(marker, { kind: 'ended', instanceId });
        if (watch.check) {
          news.markDelivered(`ready:${key}`);
        }
        break;
    }
  }

  /** Stores the phase of the waiting rental, if there is one. */
  async mark(marker: string | undefined, phase: Rental['phase']): Promise<void> {
    if (marker === undefined) {
      return;
    }
    try {
      await this.deps.rentals.update(marker, ifWaiting(phase));
    } catch (error) {
      // The user is notified in any case.
      if (!this.refused.has(marker)) {
        this.deps.log.error(`What became of ${marker} could not be noted`, error);
      }
      this.refused.add(marker);
    }
  }
}

interface StartNewsDeps {
  readonly rentals: Pick<RentalStore, 'rentals'>;
  readonly hub: WindowHub;
  readonly oneWindow: Pick<OneWindow, 'offer'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  /** Returns the account of these machines. */
  readonly accountKey: () => string | undefined;
  /** Returns whether another part of the product follows an instance and reports its outcome. */
  readonly isFollowed: (instanceId: number) => boolean;
}

/** How long after it happened an event is still worth showing (ms). */
const unreportedMs = 10 * 60_000;

const events = channel('readiness.event', z.object({ key: z.string(), event: startEvent }));

/** Delivers events of machines to exactly one of the windows. */
export class StartNews implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly happened: Emitter<StartEvent>;
  /** Keys that were marked before this window led; they are already delivered or must not be. */
  private readonly caughtUp = new Set<string>();

  constructor(private readonly deps: StartNewsDeps) {
    this.happened = this.owned.add(
      new Emitter((error: unknown) => {
        deps.log.error('A listener of what happened to a machine failed', error);
      }),
    );
    this.owned.add(events.on(deps.hub, (found) => this.offer(found)));
  }

  get onDidHappen() {
    return this.happened.event;
  }

  /** Delivers an event; `key` is the same for the same event in all windows and after a restart. */
  deliver(key: string, event: StartEvent): void {
    const found = { key: this.keyOf(key), event };
    events.send(this.deps.hub, found);
    this.offer(found);
  }

  /** Marks a key as delivered, so that nothing is shown under it. */
  markDelivered(key: string): void {
    this.caughtUp.add(key);
    this.deps.oneWindow.offer(this.keyOf(key), () => undefined);
  }

  /** Delivers events that a closed window marked and did not show. */
  deliverUnreported(): void {
    const now = this.deps.clock.now();
    for (const { phase, requestedAt } of this.deps.rentals.rentals) {
      if ((phase.kind === 'ready' || phase.kind === 'failed') && now - phase.at < unreportedMs) {
        const { kind, instanceId } = phase;
        const key = `${kind}:${instanceId}:${requestedAt}`;
        if (this.caughtUp.has(key) || this.deps.isFollowed(instanceId)) {
          continue;
        }
        this.caughtUp.add(key);
        if (phase.kind === 'ready') {
          this.deliver(key, { kind: 'ready', instanceId });
        } else {
          const { reason, message, hadData = true } = phase;
          const words = message === undefined ? {} : { message };
          this.deliver(key, { kind: 'failed', instanceId, reason, hadData, ...words });
        }
      }
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private keyOf(key: string): string {
    return `${this.deps.accountKey() ?? ''}:${key}`;
  }

  private offer({ key, event }: { readonly key: string; readonly event: StartEvent }): void {
    this.deps.oneWindow.offer(key, () => {
      this.happened.fire(event);
    });
  }
}

interface TroublesDeps extends Omit<DestroyedAgainDeps, 'tell'> {
  /** Delivers an event; `key` is the same for the same event in all windows and after a restart. */
  readonly deliver: (key: string, event: StartEvent) => void;
}

/** Problems of machines that were running; each is reported once, and again only after the machine recovered. */
export class Troubles {
  private reported = new Map<number, string>();

  private readonly destroyed: DestroyedAgain;

  constructor(private readonly deps: TroublesDeps) {
    this.destroyed = new DestroyedAgain(deps);
  }

  /** Returns the form for the disk. */
  export(): [number, string][] {
    return [...this.reported];
  }

  import(reported: readonly (readonly [number, string])[]): void {
    this.reported = new Map(reported);
  }

  /** Notes a failure that another message reports, so that it is not also reported as trouble. */
  noteFailed(instanceId: number, reason: string): void {
    this.reported.set(instanceId, this.now(instanceId) ?? reason);
  }

  /** Checks a machine that is not starting. */
  check(instanceId: number): void {
    const { fleet, clock, deliver } = this.deps;
    const now = clock.now();
    const instance = fleet.find(instanceId);
    if (!instance) {
      return;
    }
    if (this.destroyed.check(instance, fleet.facts(instanceId).lastRequest, now)) {
      return;
    }
    const trouble = this.now(instanceId);
    if (trouble === undefined) {
      if (instance.actualStatus === 'running') {
        this.reported.delete(instanceId);
      }
    } else if (this.reported.get(instanceId) !== trouble) {
      this.reported.set(instanceId, trouble);
      deliver(`trouble:${instanceId}:${trouble}:${now}`, { kind: 'trouble', instanceId, trouble });
    }
  }

  private now(instanceId: number): Trouble | undefined {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(instanceId);
    return instance && troubleOf(instance, fleet.facts(instanceId), clock.now());
  }
}
