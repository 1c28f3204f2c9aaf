import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import { Emitter } from '../../util/emitter';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import type { InstanceWork } from '../../store/instances/workOnInstances';
import { text } from '../../util/text';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { ScheduleDeps } from './deps';
import { extendUntil } from './changes';
import { ScheduleMenu } from './scheduleMenu';
import { registerNotifications } from './scheduleNotifications';
import { scheduleNote } from './scheduleWords';
import { tellUnreadable } from './unreadableSchedules';
import { tellOfOtherAccounts } from './otherAccounts';
import { watchPresence } from './presenceWatch';

/** Schedules that stop or destroy instances, and the signs of use that postpone idle ones. */
export function register(deps: ScheduleDeps): Disposable {
  const store = new DisposableStore();
  const { schedules, fleet, clock } = deps;
  store.add(watchPresence(deps));
  store.add(registerNotifications(deps));
  store.add(tellUnreadable(deps));
  store.add(deps.work.add(workOfSchedules(deps)));
  store.add(tellOfOtherAccounts(deps));
  const changed = store.add(new Emitter<void>());
  // The leader reads the schedules with each list, and mostly finds what it knows.
  let shown = schedules.text;
  store.add(
    schedules.onDidChange(() => {
      if (schedules.text !== shown) {
        shown = schedules.text;
        changed.fire();
      }
    }),
  );
  store.add(
    deps.instanceGroups.addInstanceNotes({
      note: (instanceId) => {
        const row = schedules.find(instanceId);
        return row && scheduleNote(row, clock.now());
      },
      onDidChange: changed.event,
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.setSchedule', async (target) => {
      const account = accountFor(deps.accounts);
      const instanceId = await chooseInstance(target, () => listedInstances(fleet, whileReadingInstances), {
        title: t('Stop or destroy which instance later?'),
        none: t('You have no instances.'),
      });
      if (instanceId !== undefined) {
        await schedules.ready;
        await new ScheduleMenu(deps, { instanceId, account }).show();
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.extendSchedule', ({ instanceId, until }) =>
      extendUntil(deps, instanceId, until),
    ),
  );
  return store;
}

/** An instance with a schedule is not forgotten. Only the leading window knows those of other accounts. */
function workOfSchedules({ schedules, otherSchedules }: ScheduleDeps): InstanceWork {
  return {
    endsInstance: (instanceId) => schedules.find(instanceId) !== undefined,
    afterSignOut: () =>
      schedules.rows.every(({ state }) => state.endedAt !== undefined)
        ? undefined
        : text(
            'Scheduled stops and destructions no longer happen, unless the instance can carry them out itself.',
          ),
    isPending: () =>
      schedules.rows.length > 0 || otherSchedules.hasWork === true
        ? true
        : schedules.error !== undefined || otherSchedules.hasWork === undefined
          ? undefined
          : false,
    onDidChange: (listener) => {
      const store = new DisposableStore();
      store.add(schedules.onDidChange(listener));
      store.add(otherSchedules.onDidChange(listener));
      return store;
    },
  };
}
