import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { OneWindow } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { WindowHub } from '../windows/windowHub';
import type { RentalStore } from './rentalStore';
import { startEvent, type StartEvent } from './startEvent';

export interface StartNewsDeps {
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
const untoldMs = 10 * 60_000;

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
  tell(key: string, event: StartEvent): void {
    const found = { key: this.keyOf(key), event };
    events.send(this.deps.hub, found);
    this.offer(found);
  }

  /** Marks a key as delivered, so that nothing is shown under it. */
  markTold(key: string): void {
    this.caughtUp.add(key);
    this.deps.oneWindow.offer(this.keyOf(key), () => undefined);
  }

  /** Delivers events that a closed window marked and did not show. */
  tellUntold(): void {
    const now = this.deps.clock.now();
    for (const { phase, requestedAt } of this.deps.rentals.rentals) {
      if ((phase.kind === 'ready' || phase.kind === 'failed') && now - phase.at < untoldMs) {
        const { kind, instanceId } = phase;
        const key = `${kind}:${instanceId}:${requestedAt}`;
        if (this.caughtUp.has(key) || this.deps.isFollowed(instanceId)) {
          continue;
        }
        this.caughtUp.add(key);
        if (phase.kind === 'ready') {
          this.tell(key, { kind: 'ready', instanceId });
        } else {
          const { reason, message, hadData = true } = phase;
          const words = message === undefined ? {} : { message };
          this.tell(key, { kind: 'failed', instanceId, reason, hadData, ...words });
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
