import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { formatMoney } from '../../model/money';
import type { WatchFound } from '../../store/offers/watchChecks';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import type { WatchDeps } from './deps';
import { showOffers } from './manage';

/** Notifies once for all windows, and once for the same offers, when an offer is cheap enough. */
export class WatchNotifications implements Disposable {
  private readonly owned = new DisposableStore();

  constructor(private readonly deps: WatchDeps) {
    this.owned.add(
      deps.searchWatches.onDidFind((found) => {
        deps.oneWindow.offer(
          `${found.accountKey}:watch:${found.watchId}:${found.since}`,
          () => this.showFound(found),
          // Drop what was found for an account that is no longer active.
          { isStillSo: () => found.accountKey === deps.accounts.active?.key },
        );
      }),
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  private showFound({ watchId, name, offers }: WatchFound): void {
    const { searchWatches } = this.deps;
    const watch = () => searchWatches.rows.find((row) => row.watch.id === watchId)?.watch;
    const [best] = offers;
    if (!best || !watch()) {
      return;
    }
    const machine = plainLabel(best.machine);
    const price = formatMoney(best.perHour);
    message(
      'info',
      offers.length === 1
        ? t('Found for “{0}”: {1} at {2}/h.', plainLabel(name), machine, price)
        : t(
            'Found for “{0}”: {1} offers, the cheapest {2} at {3}/h.',
            plainLabel(name),
            offers.length,
            machine,
            price,
          ),
      {
        label: t('Show Offers'),
        run: () => {
          const current = watch();
          if (current) {
            showOffers(current);
          }
        },
      },
      { label: t('Stop Watching'), run: () => searchWatches.remove(watchId) },
    );
  }
}
