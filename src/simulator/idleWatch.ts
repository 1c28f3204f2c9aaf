import type { Clock } from '../util/clock';
import { MutableDisposable, toDisposable, type Disposable } from '../util/disposable';

/** Reports once that no client has been there for some time, by the true clock, not by a skipped one. */
export class IdleWatch implements Disposable {
  private readonly alarm = new MutableDisposable<Disposable>();
  private holders = 0;

  constructor(
    private readonly clock: Clock,
    private readonly idleSeconds: number | undefined,
    private readonly onIdle: () => void,
  ) {}

  /** A sign of life. */
  touch(): void {
    if (this.idleSeconds === undefined) {
      return;
    }
    this.alarm.value =
      this.holders > 0 ? undefined : this.clock.schedule(this.onIdle, this.idleSeconds * 1000);
  }

  /** Counts a client until the result is disposed of. */
  hold(): Disposable {
    this.count(1);
    return toDisposable(() => {
      this.count(-1);
    });
  }

  /** Adds or removes one client. */
  count(change: 1 | -1): void {
    this.holders += change;
    this.touch();
  }

  dispose(): void {
    this.alarm.dispose();
  }
}
