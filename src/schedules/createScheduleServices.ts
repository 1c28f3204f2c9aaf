import { aliasOf } from '../ssh/alias';
import { readKernelUse } from '../notebooks/machine/kernelUse';
import type { SshService } from '../ssh/service';
import { openFleetCache } from '../store/instances/fleetShared';
import type { FleetStore } from '../store/instances/fleetStore';
import { PriceWatch } from '../store/instances/priceWatch';
import { IdleWatch, openUsageFile } from '../store/instances/idleWatch';
import { InstanceSchedules } from './store/instanceSchedules';
import type { AskKernels } from './store/kernelUse';
import { ScheduleFiles } from './store/scheduleFiles';
import { ScheduleRunner } from './store/scheduleRunner';
import { OtherAccountSchedules } from './store/otherAccountSchedules';
import { Presence } from '../store/windows/presence';
import { TimerProofs, type CheckTimer } from './store/timerProofs';
import type { Accounts, OtherAccounts } from '../store/accounts/accounts';
import type { WindowHub } from '../store/windows/windowHub';
import { Notices } from '../store/windows/notices';
import { proveTimer } from './timerCheck';
import type { Clock } from '../util/clock';
import type { Disposable } from '../util/disposable';
import type { Log } from '../util/log';
import { accountPath } from '../store/accounts/accountFiles';

interface ScheduleServicesDeps {
  readonly own: <T extends Disposable>(item: T) => T;
  readonly accounts: Accounts & OtherAccounts;
  readonly fleet: FleetStore;
  readonly hub: WindowHub;
  readonly clock: Clock;
  readonly log: Log;
  readonly ssh: Pick<SshService, 'entry' | 'exec' | 'prepare'>;
  readonly storageDir: string;
}

/** Makes the services for schedules of instances and for their idle time. */
export function scheduleServices(deps: ScheduleServicesDeps) {
  const { own, ssh, storageDir, ...shared } = deps;
  const kernelUse: AskKernels = (account, id, signal) => readKernelUse(ssh, aliasOf(account, id), signal);
  const presence = own(new Presence(shared));
  const notices = own(new Notices(shared.hub));
  const file = (accountKey: string) => openUsageFile(storageDir, accountKey, shared.log);
  const storage = (accountKey: string) =>
    new ScheduleFiles(accountPath(storageDir, accountKey, 'schedules'), shared.log);
  const use = { presence, aliasOf, file };
  const idle = own(new IdleWatch({ ...shared, ...use }));
  const schedules = own(new InstanceSchedules({ ...shared, storage }));
  own(new ScheduleRunner({ ...shared, schedules, idle, kernelUse, notices }));
  const check: CheckTimer = (...timer) => proveTimer({ ssh, log: shared.log }, ...timer);
  own(new TimerProofs({ ...shared, schedules, presence, notices, aliasOf, check }));
  const lastListed = async (accountKey: string) => {
    const cached = await openFleetCache(storageDir, accountKey, shared.log).load();
    return { instances: cached?.snapshot?.instances ?? [], fetchedAt: cached?.fetchedAt ?? 0 };
  };
  const noteDestroyed = (accountKey: string, id: number) =>
    void openFleetCache(storageDir, accountKey, shared.log).noteDestroyed(id, shared.clock.now());
  const others = { notices, storage, lastListed, noteDestroyed, kernelUse, check, idle: use };
  const otherSchedules = own(new OtherAccountSchedules({ ...shared, ...others }));
  own(new PriceWatch({ ...shared, notices }));
  return { presence, notices, idle, schedules, otherSchedules };
}
