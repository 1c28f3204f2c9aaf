import { MisfitError } from '../../shared/channel';
import { toDisposable, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';

type Listener = (data: unknown) => void;

/** The listeners of this window for messages of other windows, by topic. */
export class HubListeners implements Disposable {
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(private readonly log: Log) {}

  on(topic: string, listener: Listener): Disposable {
    const group = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, group);
    const own: Listener = (data) => listener(data);
    group.add(own);
    return toDisposable(() => group.delete(own));
  }

  /** Never throws: the fault of one listener keeps nothing from the others. */
  deliver(topic: string, data: unknown): void {
    for (const listener of [...(this.listeners.get(topic) ?? [])]) {
      try {
        listener(data);
      } catch (error) {
        if (error instanceof MisfitError) {
          this.log.warn(error.message);
        } else {
          this.log.error(`A listener of ${topic} failed`, error);
        }
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
