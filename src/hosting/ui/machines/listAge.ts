import { readLongAgo } from '../../../editor/listRows';
import { t } from '../../../editor/localize';
import { momentText } from '../../../editor/timeText';
import type { Services } from '../../../services';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import type { MachineList } from './machineList';

/** How often the age is written anew while the view is visible (ms). */
const tickMs = 60_000;

/** Shows above the machines how old their list is: it is read once per sign-in and on *Refresh*. */
export class ListAge implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());

  constructor(
    private readonly deps: Pick<Services, 'clock' | 'trees'>,
    private readonly machines: MachineList,
  ) {
    const tell = () => {
      this.tell();
    };
    this.owned.add(machines.onDidChange(tell));
    this.owned.add(deps.trees['gpuRental.hosting'].view.onDidChangeVisibility(tell));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private tell(): void {
    const { clock, trees } = this.deps;
    const { view } = trees['gpuRental.hosting'];
    const { state } = this.machines;
    const now = clock.now();
    const readAt = readLongAgo(state, now);
    // After a failed refresh, a row says since when.
    const hasFailed = state.kind === 'ready' && state.error !== undefined;
    const message = readAt === undefined || hasFailed ? '' : t('Shown as of {0}.', momentText(readAt, now));
    // The editor delays rows after each assignment.
    if (message !== (view.message ?? '')) {
      view.message = message;
    }
    this.timer.value =
      state.kind === 'ready' && view.visible ? clock.schedule(() => this.tell(), tickMs) : undefined;
  }
}
