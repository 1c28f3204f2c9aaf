import { localize, t } from '../../editor/localize';
import type { InstanceNote, InstanceNotes } from '../../editor/treeGroups';
import { checkTexts } from '../../model/rentals/machineCheckText';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { ReadinessDeps } from './deps';

/** What is being checked on a machine that runs, in its row and its tooltip. */
export class CheckNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private hadCheck = false;

  constructor(private readonly deps: Pick<ReadinessDeps, 'startWatches' | 'clock' | 'instanceGroups'>) {
    this.owned.add(
      deps.startWatches.onDidChange((watches) => {
        const hasCheck = watches.some(({ check }) => check !== undefined);
        if (hasCheck || this.hadCheck) {
          this.hadCheck = hasCheck;
          this.changed.fire();
        }
      }),
    );
    this.owned.add(deps.instanceGroups.addInstanceNotes(this));
  }

  note(instanceId: number): InstanceNote | undefined {
    const { startWatches, clock } = this.deps;
    const check = startWatches.watches.find((one) => one.instanceId === instanceId)?.check;
    if (!check) {
      return undefined;
    }
    const row = checkTexts(check, clock.now()).map(localize).join(' · ');
    return { row, isPending: true, lines: [[t('Check'), row]] };
  }

  dispose(): void {
    this.owned.dispose();
  }
}
