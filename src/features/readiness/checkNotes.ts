import { localize, t } from '../../editor/localize';
import type { InstanceNote, InstanceNotes } from '../../editor/treeGroups';
import { noteText } from '../../model/proof/verdictWords';
import { checkTexts } from '../../model/rentals/machineCheckText';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { Emitter } from '../../util/emitter';
import { checkLine, isCheckFine, judge } from './checkMessages';
import type { ReadinessDeps } from './deps';

type Deps = Pick<
  ReadinessDeps,
  'startWatches' | 'machineProofs' | 'fleet' | 'rentals' | 'clock' | 'instanceGroups'
>;

/** How often the time of a check is shown anew (ms). */
const tickMs = 5000;

/** Shows the progress and result of a running machine's check in its row and tooltip. */
export class CheckNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());
  private hadCheck = false;

  constructor(private readonly deps: Deps) {
    this.owned.add(deps.machineProofs.onDidChange(() => this.changed.fire()));
    this.owned.add(
      deps.startWatches.onDidChange((watches) => {
        const hasCheck = watches.some(({ check }) => check !== undefined);
        if (hasCheck || this.hadCheck) {
          this.hadCheck = hasCheck;
          this.tell();
        }
      }),
    );
    this.owned.add(deps.instanceGroups.addInstanceNotes(this));
  }

  /** The row states how long a check takes, and that it takes longer than usual. */
  private tell(): void {
    this.timer.value = this.hadCheck ? this.deps.clock.schedule(() => this.tell(), tickMs) : undefined;
    this.changed.fire();
  }

  note(instanceId: number): InstanceNote | undefined {
    const { startWatches, clock } = this.deps;
    const check = startWatches.watches.find((one) => one.instanceId === instanceId)?.check;
    if (!check) {
      return this.lastCheck(instanceId);
    }
    const row = checkTexts(check, clock.now()).map(localize).join(' · ');
    return { row, isPending: true, lines: () => [[t('Check'), row]] };
  }

  /** Appears in the row only if a running machine has a problem. */
  private lastCheck(instanceId: number): InstanceNote | undefined {
    const { fleet, machineProofs, clock } = this.deps;
    const instance = fleet.find(instanceId);
    const last = machineProofs.find(instanceId);
    if (!instance || !last) {
      return undefined;
    }
    const isRunning = instance.actualStatus === 'running';
    const isWarning = isRunning && !isCheckFine(this.deps, instanceId, last.check);
    const row = isWarning ? t('failed its check') : '';
    const lines = () => {
      const age = localize(durationText(clock.now() - last.at));
      const line = checkLine(this.deps, instanceId, last.check);
      const notes =
        last.check.kind === 'proved' ? judge(this.deps, instanceId, last.check.proof).verdict.notes : [];
      return [
        [t('Check {0} ago', age), line] as const,
        ...notes.map((note) => [t('GPU check'), localize(noteText(note))] as const),
      ];
    };
    return { row, isWarning, lines };
  }

  dispose(): void {
    this.owned.dispose();
  }
}
