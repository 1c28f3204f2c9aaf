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

/** Tells each thing once over all windows and restarts, in the window that the user looks at. */
export class TellOnce implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly seen = new Set<string>();
  private readonly waiting = new Map<string, () => Promise<void>>();

  constructor(private readonly deps: TellOnceDeps) {
    this.owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          this.tellWaiting();
        }
      }),
    );
  }

  /** Offered in every window, as often as one likes; `tell` runs in one of them. */
  offer(key: string, tell: () => Promise<void>): void {
    if (this.seen.has(key)) {
      return;
    }
    this.seen.add(key);
    this.waiting.set(key, tell);
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
    for (const [key, tell] of this.waiting) {
      this.waiting.delete(key);
      this.deps.hub
        .claim(key)
        .then((isFirst) => (isFirst ? tell() : undefined))
        .catch((error: unknown) => {
          this.deps.report.error(error);
        });
    }
  }
}
