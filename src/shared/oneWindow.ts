import type { Clock } from '../util/clock';
import { DisposableStore, type Disposable } from '../util/disposable';
import type { Event } from '../util/emitter';
import type { Log } from '../util/log';

/** Whether this window is in use; several windows may be. */
export interface WindowFocus {
  readonly isFocused: boolean;
  readonly onDidChange: Event<boolean>;
}

export interface OneWindowDeps {
  readonly hub: { readonly isLeader: boolean; claim(key: string): Promise<boolean> };
  readonly focus: WindowFocus;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the error of an action. */
  readonly onError: (error: unknown) => void;
}

export interface OfferOptions {
  /** Checked right before the action runs; if it returns false, the action does not run and may be offered again. */
  readonly isStillSo?: () => boolean;
  /** Runs the action only in the window in use, without a time limit, for actions that belong to the user's work. */
  readonly onlyInUse?: boolean;
}

interface Offered extends OfferOptions {
  readonly run: () => unknown;
  readonly timer?: Disposable;
}

/**
 * Returns true only in the first window that claims a key. Rejects if the disk fails, and then no window may act. Use
 * it for actions that cost money, rent or destroy.
 */
export function mayAct(hub: Pick<OneWindowDeps['hub'], 'claim'>, key: string): Promise<boolean> {
  return hub.claim(key);
}

/** The window in use acts; if none is in use, the leading window acts after this time (ms). */
const graceMs = 5000;

/** Runs each action once over all windows and restarts: in the window in use, otherwise in the leading one. */
export class OneWindow implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly seen = new Set<string>();
  private readonly waiting = new Map<string, Offered>();

  constructor(private readonly deps: OneWindowDeps) {
    this.owned.add(
      deps.focus.onDidChange((isFocused) => {
        if (isFocused) {
          [...this.waiting.keys()].forEach((key) => this.show(key));
        }
      }),
    );
  }

  /** Offers an action; every window may offer it repeatedly with the same key, and `run` runs in one of them. */
  offer(key: string, run: () => unknown, options: OfferOptions = {}): void {
    // The claim of a closed window would keep the others from acting.
    if (this.seen.has(key) || this.owned.isDisposed) {
      return;
    }
    this.seen.add(key);
    const { hub, focus, clock } = this.deps;
    const timer =
      options.onlyInUse === true || focus.isFocused
        ? {}
        : { timer: clock.schedule(() => (hub.isLeader ? this.show(key) : undefined), graceMs) };
    this.waiting.set(key, { ...options, run, ...timer });
    if (focus.isFocused) {
      this.show(key);
    }
  }

  dispose(): void {
    this.owned.dispose();
    this.waiting.forEach(({ timer }) => timer?.dispose());
    this.waiting.clear();
  }

  private show(key: string): void {
    const offered = this.waiting.get(key);
    if (!offered) {
      return;
    }
    this.waiting.delete(key);
    offered.timer?.dispose();
    if (offered.isStillSo?.() === false) {
      this.seen.delete(key);
      return;
    }
    this.runIfFirst(key, offered.run).catch(this.deps.onError);
  }

  private async runIfFirst(key: string, run: () => unknown): Promise<void> {
    const isFirst = await this.deps.hub.claim(key).catch((error: unknown) => {
      this.deps.log.error('Could not claim an action that only one window runs', error);
      // If the disk fails, running twice is better than never.
      return true;
    });
    if (isFirst) {
      await run();
    }
  }
}
