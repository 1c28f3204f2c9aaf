import type { InstanceNote, InstanceNotes } from '../../editor/treeGroups';
import { spendable } from '../../model/accounts/account';
import { stateOf } from '../../model/instances/instanceState';
import { rentalEndOf } from '../../model/instances/rentalEnd';
import { isUsedUp } from '../../model/instances/warnings';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { endNote, noCreditNote } from './endText';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'clock'>;

/** Notes in the rows of instances: when a rental ends by its date, and that all of them stop without credit. */
export class EndNotes implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private hadCredit = true;

  constructor(private readonly deps: Deps) {
    // The rows already follow the list of instances; the credit changes independently.
    this.owned.add(
      watchAccounts(deps.accounts, () => {
        if (this.hasCredit !== this.hadCredit) {
          this.hadCredit = this.hasCredit;
          this.changed.fire();
        }
      }),
    );
  }

  note(instanceId: number): InstanceNote | undefined {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(instanceId);
    if (!instance) {
      return undefined;
    }
    const now = clock.now();
    const kind = stateOf(instance, fleet.facts(instanceId), now);
    const end = rentalEndOf(instance, kind, now);
    const notes = [
      ...(end ? [endNote(end, now, kind === 'outbid')] : []),
      ...(this.hasCredit ? [] : [noCreditNote()]),
    ];
    return notes.length === 0
      ? undefined
      : {
          isUrgent: end?.kind !== 'later' || !this.hasCredit,
          row: notes.flatMap(({ row }) => (row === '' ? [] : row)).join(' · '),
          lines: () => notes.flatMap((note) => note.lines()),
        };
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get hasCredit(): boolean {
    const user = this.deps.accounts.active?.user;
    return !isUsedUp(user && spendable(user));
  }
}
