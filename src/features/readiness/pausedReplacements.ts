import { longestReplacementPauseMs } from '../../model/rentals/replaceAlone';
import { mayAct } from '../../shared/oneWindow';
import type { Rental } from '../../store/rentals/rentalStore';
import { markReplacing, unmarkReplacing } from '../../store/rentals/replacementMark';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import type { ReadinessDeps } from './deps';

/**
 * Starts replacements whose pause is over, in the leading window, because the window that announced them may be closed.
 */
export class PausedReplacements implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());

  constructor(
    private readonly deps: Pick<ReadinessDeps, 'rentals' | 'hub' | 'clock' | 'log' | 'report'>,
    private readonly begin: (rental: Rental, markedSince: number) => Promise<void>,
  ) {
    const plan = () => this.plan();
    this.owned.add(deps.rentals.onDidChange(plan));
    this.owned.add(deps.hub.onDidChangeLeader(plan));
    plan();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private plan(): void {
    const { rentals, hub, clock } = this.deps;
    const [next] = rentals.rentals
      .flatMap((rental) => (rental.replaceAt === undefined ? [] : [{ rental, at: rental.replaceAt }]))
      .sort((a, b) => a.at - b.at);
    this.timer.value =
      !hub.isLeader || next === undefined
        ? undefined
        : clock.schedule(
            () => {
              this.run(next.rental).catch((error: unknown) => {
                this.deps.report.error(error);
              });
            },
            Math.min(next.at - clock.now(), longestReplacementPauseMs),
          );
  }

  private async run(rental: Rental): Promise<void> {
    const { rentals, hub } = this.deps;
    const { accountKey, marker, replaceAt } = rental;
    if (!(await mayAct(hub, `${accountKey}:replaceAt:${marker}:${String(replaceAt)}`))) {
      await rentals.update(marker, { replaceAt: undefined });
      return;
    }
    // Marked in one step, so that a window that closes here leaves a record of what it was about to do.
    const since = await markReplacing(this.deps, rental, { replaceAt: undefined });
    try {
      await this.begin(rental, since);
    } finally {
      await unmarkReplacing(this.deps, rental, since);
    }
  }
}
