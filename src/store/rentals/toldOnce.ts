import * as z from 'zod';
import { channel, type Channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { FleetStore } from '../instances/fleet';
import type { WindowHub } from '../ports';

export interface ToldOnceDeps {
  readonly hub: WindowHub;
  readonly fleet: Pick<FleetStore, 'frontWindow'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whose machines it is about; the same event of another account is another one. */
  readonly accountKey: () => string | undefined;
}

/** A window that was told to show something and closed leaves it to the one that found it out. */
const showTimeoutMs = 5000;

/** Tells each event in exactly one window, in the one in front where that lives to show it. */
export class ToldOnce<T> implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly happened: Emitter<T>;
  /** What was handed to another window, until it must have shown it. */
  private readonly handedOver = new Set<Disposable>();
  private readonly unnoted = new Set<string>();
  private readonly handed: Channel<{ windowId: string; key: string; event: T }>;

  constructor(
    private readonly deps: ToldOnceDeps,
    topic: string,
    event: z.ZodType<T>,
  ) {
    const { hub, log } = deps;
    this.handed = channel(topic, z.object({ windowId: z.string(), key: z.string(), event }));
    this.happened = this.owned.add(
      new Emitter((error: unknown) => {
        log.error(`A listener of ${topic} failed`, error);
      }),
    );
    this.owned.add(
      this.handed.on(hub, (message) => {
        if (message.windowId === hub.windowId) {
          void this.showHere(message.key, message.event);
        }
      }),
    );
  }

  /** Heard in the window that is to show the event. */
  get onDidHappen() {
    return this.happened.event;
  }

  /** `key` is the same for the same event in all windows and after a restart. */
  tell(key: string, event: T): void {
    const { hub, fleet, clock } = this.deps;
    const windowId = fleet.frontWindow;
    if (windowId === hub.windowId) {
      void this.showHere(key, event);
      return;
    }
    this.handed.send(hub, { windowId, key, event });
    const later = clock.schedule(() => {
      this.handedOver.delete(later);
      void this.showHere(key, event);
    }, showTimeoutMs);
    this.handedOver.add(later);
  }

  dispose(): void {
    this.owned.dispose();
    this.handedOver.forEach((later) => {
      later.dispose();
    });
  }

  private async showHere(key: string, event: T): Promise<void> {
    try {
      const isMine = await this.deps.hub.claim(`${this.deps.accountKey() ?? ''}:${key}`);
      if (isMine && !this.unnoted.has(key)) {
        this.happened.fire(event);
      }
    } catch (error) {
      this.deps.log.error('It could not be noted that a message is shown', error);
      // Where the disk refuses, a word too many is better than none.
      if (!this.unnoted.has(key)) {
        this.unnoted.add(key);
        this.happened.fire(event);
      }
    }
  }
}
