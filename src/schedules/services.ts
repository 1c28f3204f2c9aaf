import { readKernelUse } from '../notebooks/machine/kernelUse';
import type { Services as CoreServices } from '../services';
import { aliasOf } from '../ssh/alias';
import { accountPath } from '../store/accounts/accountFiles';
import { openFleetCache } from '../store/instances/fleetShared';
import { openUsageFile } from '../store/instances/idleWatch';
import type { Own } from '../wing';
import { readUse } from './machine/machineTimer';
import { isAllSaved } from './savedWork';
import { AgreedEnds } from './store/agreedEnds';
import { InstanceSchedules } from './store/instanceSchedules';
import type { AskKernels } from './store/kernelUse';
import { OtherAccountSchedules } from './store/otherAccountSchedules';
import { ScheduleFiles } from './store/scheduleFiles';
import { ScheduleRunner, type AskSaving, type SavedWork } from './store/scheduleRunner';
import { ServiceTimetable } from './store/serviceTimetable';
import { TimerProofs, type ArmTimer, type CheckTimer, type TimerProofsDeps } from './store/timerProofs';
import { TimetableFiles } from './store/timetableFiles';
import { armQuietly, endQuietly, proveTimer } from './timerCheck';

const useTimetable = 'gpuRental.end.useServiceTimetable';

type Deps = Pick<
  CoreServices,
  | 'accounts'
  | 'clock'
  | 'fleet'
  | 'hub'
  | 'idle'
  | 'log'
  | 'notices'
  | 'presence'
  | 'rentals'
  | 'runningProofs'
  | 'settings'
  | 'ssh'
  | 'storageDir'
  | 'work'
>;

export type ScheduleServices = ReturnType<typeof scheduleServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices;

/** Makes the schedules of instances, and what carries them out. */
export function scheduleServices(
  { ssh, storageDir, presence, idle, notices, runningProofs, settings, work, ...shared }: Deps,
  own: Own,
) {
  const kernelUse: AskKernels = (account, { instanceId, isAgreed, term }, signal) => {
    const alias = aliasOf(account, instanceId);
    return isAgreed === true && term.kind === 'idle'
      ? readUse(ssh, alias, term.minutes, signal)
      : readKernelUse(ssh, alias, signal);
  };
  const file = (accountKey: string) => openUsageFile(storageDir, accountKey, shared.log);
  const storage = (accountKey: string) =>
    new ScheduleFiles(accountPath(storageDir, accountKey, 'schedules'), shared.log);
  const use = { presence, aliasOf, file };
  const schedules = own(new InstanceSchedules({ ...shared, storage }));
  own(new AgreedEnds({ ...shared, schedules }));
  const saved: SavedWork = {
    isAllSaved: (account, instanceId, signal) =>
      isAllSaved({ ssh, work, log: shared.log }, aliasOf(account, instanceId), instanceId, signal),
    note: async (instanceId, savedAt) => {
      const marker = shared.rentals.find(instanceId)?.marker;
      await (marker === undefined ? undefined : shared.rentals.update(marker, { savedAt }));
    },
  };
  const isSaving: AskSaving = async (accountKey, { instanceId, action }) => {
    await work.whole();
    return work.isSaving(accountKey, instanceId, action === 'stop' ? 'processes' : 'disk');
  };
  own(new ScheduleRunner({ ...shared, schedules, idle, kernelUse, notices, saved, isSaving }));
  const timetable = own(
    new ServiceTimetable({
      ...shared,
      schedules,
      notices,
      isOn: () => settings.get(useTimetable),
      files: (accountKey) => new TimetableFiles(accountPath(storageDir, accountKey, 'timetable'), shared.log),
    }),
  );
  own(settings.onDidChange(useTimetable, () => timetable.look()));
  const check: CheckTimer = (...timer) => proveTimer({ ssh, runningProofs, ...shared }, ...timer);
  const arm: ArmTimer = (account, instance, ...more) =>
    // The guard of a job ends a machine that was rented for one.
    shared.rentals.find(instance.id)?.end?.jobSeconds === undefined
      ? armQuietly({ ssh, ...shared }, account, instance, ...more)
      : Promise.resolve('notAsked');
  const end: TimerProofsDeps['end'] = (...of) => endQuietly({ ssh, ...shared }, ...of);
  own(new TimerProofs({ ...shared, schedules, presence, notices, aliasOf, check, arm, end }));
  const lastListed = async (accountKey: string) => {
    const cached = await openFleetCache(storageDir, accountKey, shared.log).load();
    return { instances: cached?.snapshot?.instances ?? [], fetchedAt: cached?.fetchedAt ?? 0 };
  };
  const noteDestroyed = (accountKey: string, id: number) =>
    void openFleetCache(storageDir, accountKey, shared.log).noteDestroyed(id, shared.clock.now());
  const others = { notices, storage, lastListed, noteDestroyed, kernelUse, isSaving, check, idle: use };
  const otherSchedules = own(new OtherAccountSchedules({ ...shared, ...others }));
  return { schedules, otherSchedules, timetable };
}
