import type * as z from 'zod';
import { titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { momentText } from '../../editor/timeText';
import type { InstanceNote, InstanceNotes } from '../../editor/treeGroups';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { maintenanceNotice, maintenanceNoticeKind } from '../../store/instances/maintenanceWatch';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'clock' | 'fleet' | 'notices' | 'oneWindow'>;
type Planned = z.infer<typeof maintenanceNotice>;

/** Warns once of maintenance that a host plans for a machine of the user's instances, and notes it in their rows. */
export class PlannedMaintenance implements InstanceNotes, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly planned = new Map<number, Planned>();

  constructor(private readonly deps: Deps) {
    this.owned.add(followAccount(deps.accounts, () => toDisposable(() => this.planned.clear())));
    this.owned.add(
      deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
        const planned = kind === maintenanceNoticeKind ? maintenanceNotice.safeParse(data).data : undefined;
        if (planned && accountKey === deps.accounts.active?.key) {
          this.planned.set(planned.id, planned);
          this.changed.fire();
          deps.oneWindow.offer(key, () => this.warn(planned));
        }
      }),
    );
  }

  note(instanceId: number): InstanceNote | undefined {
    const machineId = this.deps.fleet.find(instanceId)?.machineId;
    const now = this.deps.clock.now();
    const [next] = [...this.planned.values()]
      .filter((one) => one.machineId === machineId && (one.endsAt ?? one.startsAt) > now)
      .sort((one, other) => one.startsAt - other.startsAt);
    return (
      next && {
        row: t('maintenance: {0}', momentText(next.startsAt, now)),
        lines: () => [[t('Maintenance'), spanOf(next, now)]],
      }
    );
  }

  dispose(): void {
    this.owned.dispose();
  }

  private warn(planned: Planned): void {
    const { clock, fleet } = this.deps;
    const { state } = fleet;
    const now = clock.now();
    const here = (state.kind === 'ready' ? state.value.instances : []).filter(
      ({ machineId }) => machineId === planned.machineId,
    );
    const [instance] = here;
    if (!instance) {
      return;
    }
    const instanceId = instance.id;
    const { canDownload, canRunCommand } = actionsFor(instance, fleet.facts(instanceId), now);
    message(
      'warning',
      t(
        'The host of {0} plans maintenance: {1}. The instance may stop or be unreachable then.',
        here.map((one) => plainLabel(instanceName(one))).join(', '),
        spanOf(planned, now),
      ),
      canDownload && titledAction('gpuRental.instance.move', { instanceId }),
      canRunCommand && titledAction('gpuRental.instance.copyData', { instanceId }),
    );
  }
}

/** Returns `Wed, Dec 2, 14:00 – 17:00 · power`, as far as it is stated. */
function spanOf({ startsAt, endsAt, category }: Planned, now: number): string {
  const span =
    endsAt === undefined
      ? momentText(startsAt, now)
      : t('{0} to {1}', momentText(startsAt, now), momentText(endsAt, now));
  return [span, plainLabel(category ?? '')].filter((part) => part !== '').join(' · ');
}
