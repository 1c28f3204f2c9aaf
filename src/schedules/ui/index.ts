import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import { Emitter } from '../../util/emitter';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { LeaseDeps } from './deps';
import { extendUntil } from './changes';
import { LeaseMenu } from './scheduleMenu';
import { registerNotifications } from './scheduleNotifications';
import { leaseNote } from './scheduleWords';
import { tellUnreadable } from './unreadableSchedules';
import { tellOfOtherAccounts } from './otherAccounts';
import { watchPresence } from './presenceWatch';

/** Schedules that stop or destroy instances, and the signs of use that postpone idle ones. */
export function register(deps: LeaseDeps): Disposable {
  const store = new DisposableStore();
  const { leases, fleet, clock } = deps;
  store.add(watchPresence(deps));
  store.add(registerNotifications(deps));
  store.add(tellUnreadable(deps));
  store.add(tellOfOtherAccounts(deps));
  const changed = store.add(new Emitter<void>());
  // The leader reads the schedules with each list, and mostly finds what it knows.
  let shown = leases.text;
  store.add(
    leases.onDidChange(() => {
      if (leases.text !== shown) {
        shown = leases.text;
        changed.fire();
      }
    }),
  );
  store.add(
    deps.instanceGroups.addInstanceNotes({
      note: (instanceId) => {
        const row = leases.find(instanceId);
        return row && leaseNote(row, clock.now());
      },
      onDidChange: changed.event,
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.setLease', async (target) => {
      const account = accountFor(deps.accounts);
      const instanceId = await chooseInstance(target, () => listedInstances(fleet, whileReadingInstances), {
        title: t('Stop or destroy which instance later?'),
        none: t('You have no instances.'),
      });
      if (instanceId !== undefined) {
        await leases.ready;
        await new LeaseMenu(deps, { instanceId, account }).show();
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.extendLease', ({ instanceId, until }) =>
      extendUntil(deps, instanceId, until),
    ),
  );
  return store;
}
