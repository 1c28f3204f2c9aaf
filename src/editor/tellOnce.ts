import * as vscode from 'vscode';
import type { Clock } from '../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../util/disposable';

/** The window in use tells; where none is, the leading one does after this time (ms). */
const graceMs = 5000;

export interface TellOnceDeps {
  readonly hub: { readonly isLeader: boolean; claim(key: string): Promise<boolean> };
  readonly clock: Clock;
  readonly report: { error(error: unknown): void };
}

interface Offered {
  readonly tell: () => Promise<unknown>;
  readonly isStillSo: () => boolean;
}

/** Tells each thing once over all windows and restarts, in the window that the user looks at. */
export class TellOnce implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly seen = new Set<string>();
  private readonly waiting = new Map<string, Offered>();

  constructor(private readonly deps: TellOnceDeps) {
    this.owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          this.tellWaiting();
        }
      }),
    );
  }

  /** Offered in every window, as often as one likes; `tell` runs in one of them, unless it is not so any more by then. */
  offer(key: string, tell: () => Promise<unknown>, isStillSo = () => true): void {
    if (this.seen.has(key)) {
      return;
    }
    this.seen.add(key);
    this.waiting.set(key, { tell, isStillSo });
    if (vscode.window.state.focused) {
      this.tellWaiting();
    } else {
      this.timer.value = this.deps.clock.schedule(() => {
        if (this.deps.hub.isLeader) {
          this.tellWaiting();
        }
      }, graceMs);
    }
  }

  dispose(): void {
    this.waiting.clear();
    this.owned.dispose();
  }

  private tellWaiting(): void {
    for (const [key, { tell, isStillSo }] of this.waiting) {
      this.waiting.delete(key);
      if (isStillSo()) {
        this.deps.hub
          .claim(key)
          .then((isFirst) => (isFirst ? tell() : undefined))
          .catch((error: unknown) => {
            this.deps.report.error(error);
          });
      } else {
        // It may become so once more.
        this.seen.delete(key);
      }
    }
  }
}
