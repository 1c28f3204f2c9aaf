import { showInstances } from '../../editor/chooseInstance';
import { titledAction } from '../../editor/commands';
import { reportDamagedFiles } from '../../editor/damagedFiles';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickMany } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { UnfinishedOrder } from '../../store/rentals/rentalStore';
import { type Disposable, DisposableStore } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import type { ReadinessDeps } from './deps';
import { checkMachine, CheckNotes } from './machineCheck';
import { showFaults } from './machineFaults';
import { ReadinessNotifications } from './notifications';
import { PausedReplacements } from './pausedReplacements';
import { ReadyProgress } from './readyProgress';

/** Follows starting machines and reports in one window when they are ready or failed. */
export function register(deps: ReadinessDeps): Disposable {
  const store = new DisposableStore();
  /** Instances whose progress another feature already shows. */
  const followed = new Set<number>();
  /** Instances on which a window was opened during the present start. */
  const opened = new Set<number>();
  const notifications = new ReadinessNotifications(
    deps,
    (id) => followed.has(id) || opened.has(id) || deps.work.awaits(id),
  );
  const report = (error: unknown) => {
    deps.report.error(error);
  };
  store.add(
    deps.startWatches.onDidHappen((event) => {
      notifications.show(event).catch(report);
    }),
  );
  store.add(
    deps.rentals.onDidSettle((rental) => {
      notifications.settled(rental);
    }),
  );
  store.add(
    deps.rentals.onDidBreakOff((broken) => {
      notifications.brokenOff(broken);
    }),
  );
  store.add(deps.rentals.orders.onDidFindUnfinished(reportUnfinishedOrder));
  store.add(new PausedReplacements(deps, (rental, since) => notifications.afterPause(rental, since)));
  store.add(
    deps.commands.register('gpuRental.instance.replaceFailed', ({ instanceId }) =>
      notifications.replaceFailed(instanceId),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.instance.check', (target) =>
      checkMachine(deps, notifications.checks, target),
    ),
  );
  store.add(deps.commands.register('gpuRental.forgetFailedMachines', () => forgetFailedMachines(deps)));
  store.add(
    deps.commands.register('gpuRental.followElsewhere', ({ instanceId, follows, isOpened }) => {
      if (follows) {
        followed.add(instanceId);
      } else {
        followed.delete(instanceId);
      }
      if (isOpened === true) {
        opened.add(instanceId);
      }
    }),
  );
  store.add(
    deps.startWatches.onDidChange((watches) => {
      // The next start of the same instance has not begun yet.
      watches
        .filter(({ check }) => check === undefined)
        .forEach(({ instanceId }) => opened.delete(instanceId));
    }),
  );
  store.add(new ReadyProgress(deps, followed));
  store.add(new CheckNotes(deps));
  store.add(showFaults(deps, notifications.checks));
  store.add(reportDamagedRentals(deps));
  return store;
}

/** Lets the user allow failed machines as replacements again; until then they are avoided. */
async function forgetFailedMachines({ failedMachines, clock }: ReadinessDeps): Promise<void> {
  const machines = await failedMachines.list();
  if (machines.length === 0) {
    message('info', t('No failed machines are remembered.'));
    return;
  }
  const rows = machines.map(({ machineId, at, reason }) => ({
    label: t('Machine {0}', machineId),
    description: t('{0} ago', localize(durationText(clock.now() - at))),
    detail: plainLabel(reason).slice(0, 200),
    picked: true,
    machineId,
  }));
  const chosen = await pickMany(rows, {
    title: titleOf('gpuRental.forgetFailedMachines'),
    placeHolder: t('Which ones may be rented as a replacement again?'),
  });
  for (const { machineId } of chosen ?? []) {
    await failedMachines.forget(machineId);
  }
}

/** Reports that a window closed between the rentals of one confirmation. */
function reportUnfinishedOrder({ rentals, wanted }: UnfinishedOrder): void {
  const [instanceId] = rentals.flatMap(({ phase }) =>
    'instanceId' in phase ? (phase.instanceId ?? []) : [],
  );
  message(
    'warning',
    t(
      'Rented {0} of {1} machines. The window closed before it requested the others, so they were not rented.',
      rentals.length,
      wanted,
    ),
    ...(instanceId === undefined
      ? [titledAction('gpuRental.searchOffers')]
      : [titledAction('gpuRental.instance.rentAnother', { instanceId }), showInstances()]),
  );
}

/** A damaged rental may have become an instance, which is not followed. */
function reportDamagedRentals(deps: Pick<ReadinessDeps, 'accounts' | 'rentals' | 'oneWindow'>): Disposable {
  const { rentals } = deps;
  const list = {
    get damaged() {
      return rentals.damaged.values();
    },
    onDidChange: rentals.onDidChange,
  };
  return reportDamagedFiles(deps, list, 'rental', {
    effect: t('A rental is not followed, and its instance may cost money.'),
    next: showInstances(),
  });
}
