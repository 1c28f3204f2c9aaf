import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { plainLabel } from '../../editor/quickPick';
import { formatMoney } from '../../model/money';
import type { WatchFound } from '../../store/offers/watchChecks';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import type { WatchDeps } from './deps';
import { showOffers } from './manage';

/** The window in use tells; where none is, the leading one does after this time (ms). */
const graceMs = 5000;

/** Says once over all windows, and once for the same offers, that something is cheap enough. */
export class WatchNotifications implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private readonly asked = new Set<string>();
  private readonly waiting = new Map<string, WatchFound>();

  constructor(private readonly deps: WatchDeps) {
    this.owned.add(
      deps.searchWatches.onDidFind((found) => {
        this.found(found);
      }),
    );
    this.owned.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          this.tellWaiting();
        }
      }),
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  private found(found: WatchFound): void {
    const key = `${found.accountKey}:watch:${found.watchId}:${found.since}`;
    if (this.asked.has(key)) {
      return;
    }
    this.waiting.set(key, found);
    if (vscode.window.state.focused) {
      this.tellWaiting();
    } else if (this.deps.hub.isLeader) {
      this.timer.value = this.deps.clock.schedule(() => {
        this.tellWaiting();
      }, graceMs);
    }
  }

  private tellWaiting(): void {
    for (const [key, found] of this.waiting) {
      this.waiting.delete(key);
      this.asked.add(key);
      // What another account watched is none of this one's business.
      if (found.accountKey === this.deps.accounts.active?.key) {
        this.deps.hub
          .claim(key)
          .then((isFirst) => (isFirst ? this.tell(found) : undefined))
          .catch((error: unknown) => {
            this.deps.report.error(error);
          });
      }
    }
  }

  private async tell({ watchId, name, offers }: WatchFound): Promise<void> {
    const { searchWatches } = this.deps;
    const watch = () => searchWatches.rows.find((row) => row.watch.id === watchId)?.watch;
    const [best] = offers;
    if (!best || !watch()) {
      return;
    }
    const show = t('Show Offers');
    const stop = t('Stop Watching');
    const machine = plainLabel(best.machine);
    const price = formatMoney(best.perHour);
    const chosen = await vscode.window.showInformationMessage(
      offers.length === 1
        ? t('Found for "{0}": {1} at {2}/h.', plainLabel(name), machine, price)
        : t(
            'Found for "{0}": {1} offers, the cheapest {2} at {3}/h.',
            plainLabel(name),
            offers.length,
            machine,
            price,
          ),
      show,
      stop,
    );
    const current = watch();
    if (chosen === show && current) {
      showOffers(current);
    } else if (chosen === stop) {
      await searchWatches.remove(watchId);
    }
  }
}
