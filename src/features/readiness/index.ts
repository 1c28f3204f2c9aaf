import { DisposableStore, type Disposable } from '../../util/disposable';
import { checkMachine } from './checkMachine';
import { CheckNotes } from './checkNotes';
import type { ReadinessDeps } from './deps';
import { ReadinessNotifications } from './notifications';
import { tellOfDamagedRentals } from './damagedRentals';
import { forgetFailedMachines } from './forgetMachines';
import { tellLeftOrder } from './leftOrders';
import { PausedReplacements } from './pausedReplacements';
import { ReadyProgress } from './readyProgress';

/** Follows starting machines and reports in one window when they are ready or failed. */
export function register(deps: ReadinessDeps): Disposable {
  const store = new DisposableStore();
  /** Instances whose progress another feature already shows. */
  const followed = new Set<number>();
  /** Instances on which a window was opened during the present start. */
  const opened = new Set<number>();
  const notifications = new ReadinessNotifications(deps, (id) => followed.has(id) || opened.has(id));
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
  store.add(deps.rentals.orders.onDidLeave(tellLeftOrder));
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
  store.add(tellOfDamagedRentals(deps));
  return store;
}
