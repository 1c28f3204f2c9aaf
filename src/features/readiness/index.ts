import { DisposableStore, type Disposable } from '../../util/disposable';
import type { ReadinessDeps } from './deps';
import { ReadinessNotifications } from './notifications';
import { forgetFailedMachines } from './forgetMachines';
import { PausedReplacements } from './pausedReplacements';
import { ReadyProgress } from './readyProgress';

/** Follows machines until they are ready or not, and says so in one window. */
export function register(deps: ReadinessDeps): Disposable {
  const store = new DisposableStore();
  /** Instances for which somebody waits with progress of its own. */
  const followed = new Set<number>();
  const notifications = new ReadinessNotifications(deps, followed);
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
  store.add(new PausedReplacements(deps, (rental) => notifications.afterPause(rental)));
  store.add(
    deps.commands.register('gpuRental.instance.replaceFailed', ({ instanceId }) =>
      notifications.replaceFailed(instanceId),
    ),
  );
  store.add(deps.commands.register('gpuRental.forgetFailedMachines', () => forgetFailedMachines(deps)));
  store.add(
    deps.commands.register('gpuRental.followElsewhere', ({ instanceId, follows }) => {
      if (follows) {
        followed.add(instanceId);
      } else {
        followed.delete(instanceId);
      }
    }),
  );
  store.add(new ReadyProgress(deps, followed));
  return store;
}
