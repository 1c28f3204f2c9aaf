import { commandAction, titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { labelOf } from '../../editor/titles';
import type { PastRental } from '../../model/rentals/pastRental';
import type { Account } from '../../store/accounts/accounts';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { isWithin } from '../../util/duration';
import type { Services } from '../services';
import { nameOfPast } from './historyText';

export type UnseenEndDeps = Pick<
  Services,
  'accounts' | 'clock' | 'connectedWindows' | 'history' | 'oneWindow' | 'ssh' | 'work'
>;

/** An older end is no news (ms). */
const newsMs = 24 * 3_600_000;
/** Instances that a list lost together are named in one message (ms). */
const gatherMs = 1000;

/** Reports, once over all windows, the instances that ended without a request from this computer. */
export class UnseenEnds implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private found: PastRental[] = [];

  constructor(private readonly deps: UnseenEndDeps) {
    this.owned.add(deps.history.onDidChange(() => this.check()));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private check(): void {
    const { accounts, clock, history, oneWindow } = this.deps;
    const account = accounts.active;
    for (const past of account ? history.rows.filter(({ end }) => end === 'gone') : []) {
      const { id, startedAt } = past.instance;
      if (account && isWithin(newsMs, past.endedAt, clock.now())) {
        // An instance that the service lists again leaves the history.
        const isStillSo = () => account.key === accounts.active?.key && history.find(id)?.end === 'gone';
        const key = `${account.key}:gone:${id}:${startedAt ?? ''}`;
        oneWindow.offer(key, () => this.note(account, past), { isStillSo });
      }
    }
  }

  private async note(account: Account, past: PastRental): Promise<void> {
    const { clock, connectedWindows, ssh, work } = this.deps;
    const { instance } = past;
    await work.whole();
    const isReported = work.reportEnd(account.key, instance);
    if (!isReported && !connectedWindows.isOpen(ssh.aliasOf(account, instance.id))) {
      // A window that works on the instance asks what to do next.
      this.found.push(past);
      this.timer.value = clock.schedule(() => this.showEnds(), gatherMs);
    }
  }

  private showEnds(): void {
    const [first, ...more] = this.found.splice(0);
    if (first && more.length === 0) {
      const pastId = first.instance.id;
      message(
        'warning',
        t(
          '{0} no longer exists. The service removed it without a request from GPU Rental on this computer, and its data is lost.',
          nameOfPast(first),
        ),
        titledAction('gpuRental.history.rentAgain', { pastId }),
        commandAction(labelOf('gpuRental.instance.showDetails'), 'gpuRental.history.showDetails', { pastId }),
      );
    } else if (first) {
      message(
        'warning',
        t(
          'These instances no longer exist: {0}. The service removed them without a request from GPU Rental on this computer, and their data is lost.',
          [first, ...more].map(nameOfPast).join(', '),
        ),
        titledAction('gpuRental.history.show'),
      );
    }
  }
}
