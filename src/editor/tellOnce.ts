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

export interface OfferOptions {
  /** Asked right before it is told: what is not so any more is not told. */
  readonly isStillSo?: () => boolean;
  /** For what belongs to what the user is doing: no window but the one in use tells it, however long that takes. */
  readonly onlyInUse?: boolean;
}

interface Offered extends OfferOptions {
  readonly tell: () => unknown;
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

  /** Offered in every window, as often as one likes; `tell` runs in one of them. */
  offer(key: string, tell: () => unknown, options: OfferOptions = {}): void {
    if (this.seen.has(key)) {
      return;
    }
    this.seen.add(key);
    this.waiting.set(key, { ...options, tell });
    if (vscode.window.state.focused) {
      this.tellWaiting();
    } else if (options.onlyInUse !== true) {
      this.timer.value = this.deps.clock.schedule(() => {
        if (this.deps.hub.isLeader) {
          this.tellWaiting(({ onlyInUse }) => onlyInUse !== true);
        }
      }, graceMs);
    }
  }

  dispose(): void {
    this.waiting.clear();
    this.owned.dispose();
  }

  private tellWaiting(isMine: (offered: Offered) => boolean = () => true): void {
    for (const [key, { tell, isStillSo }] of [...this.waiting].filter(([, one]) => isMine(one))) {
      this.waiting.delete(key);
      if (isStillSo?.() !== false) {
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
