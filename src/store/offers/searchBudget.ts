import * as z from 'zod';
import { channel } from '../../shared/channel';
import { wait, type Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import type { WindowHub } from '../windows/windowHub';

/**
 * The service allows ten searches a minute per address; two are reserved for rentals
 * (docs/service/limits.md#searches-a-minute).
 */
export const searchesPerMinute = 8;
const minuteMs = 60_000;
const searches = channel('search.sent', z.undefined());

/**
 * Counts the searches of the last minute over all windows. Everything that searches notes it here, except rentals and
 * their replacements, which use the reserve.
 */
export class SearchBudget implements Disposable {
  /** Elapsed times (ms). */
  private readonly sent: number[] = [];
  private readonly listening: Disposable;

  constructor(
    private readonly clock: Clock,
    private readonly hub: Pick<WindowHub, 'broadcast' | 'on'>,
  ) {
    this.listening = searches.on(hub, () => {
      this.count();
    });
  }

  /** Returns the milliseconds until another search may leave, under a limit of `most` a minute. */
  waitMs(most = searchesPerMinute): number {
    const oldest = this.sent[this.sent.length - most];
    return oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - this.clock.elapsed());
  }

  /** Notes that a search leaves now. */
  note(): void {
    this.count();
    searches.send(this.hub, undefined);
  }

  /** Waits until another search may leave, and notes it. `onWait` is called if it has to wait. */
  async turn(signal: AbortSignal, onWait: () => void): Promise<void> {
    for (let waitMs = this.waitMs(); waitMs > 0; waitMs = this.waitMs()) {
      onWait();
      await wait(this.clock, waitMs, signal);
    }
    this.note();
  }

  dispose(): void {
    this.listening.dispose();
  }

  private count(): void {
    this.sent.push(this.clock.elapsed());
    if (this.sent.length > 4 * searchesPerMinute) {
      this.sent.shift();
    }
  }
}
