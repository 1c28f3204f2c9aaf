import { t } from '../../../editor/localize';
import type { InstanceNote, InstanceNotes } from '../../../editor/treeGroups';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import type { AgentWatch } from './agentWatch';

/** Marks the instances that agents rented, in their rows and tooltips. */
export class AgentNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private shown = '';

  constructor(private readonly watch: AgentWatch) {
    this.owned.add(
      watch.onDidChange(() => {
        const now = watch.instances.map(({ instance }) => instance.id).join();
        if (now !== this.shown) {
          this.shown = now;
          this.changed.fire();
        }
      }),
    );
  }

  note(instanceId: number): InstanceNote | undefined {
    const request = this.watch.rentedFor(instanceId);
    return (
      request && {
        row: t('by agent'),
        isWhose: true,
        lines: () => [[t('Rented by agent (unverified name)'), t('“{0}”', request.caller.name)]],
      }
    );
  }

  dispose(): void {
    this.owned.dispose();
  }
}
