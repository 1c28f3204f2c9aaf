import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import type { Notices } from '../windows/notices';
import type { FleetSnapshot } from './fleetStore';

/** A window of maintenance of a machine that has instances of the account. Times in ms. */
export const maintenanceNotice = z.object({
  id: z.number(),
  machineId: z.number(),
  startsAt: z.number(),
  endsAt: z.number().optional(),
  category: z.string().optional(),
});
export const maintenanceNoticeKind = 'maintenance';

/** Hosts announce maintenance days before, so it is read with a list at most this often (ms). */
const maintenanceEveryMs = 6 * 3_600_000;

export interface MaintenanceWatchDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: { readonly onDidPoll: Event<FleetSnapshot> };
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks up what hosts plan for the machines of the instances, together with the lists that are read anyway. */
export class MaintenanceWatch implements Disposable {
  private readonly owned = new DisposableStore();
  private last: { readonly accountKey: string; readonly machines: string; readonly at: number } | undefined;

  constructor(private readonly deps: MaintenanceWatchDeps) {
    this.owned.add(deps.fleet.onDidPoll(({ instances }) => void this.check(instances)));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Never rejects: the user did not ask for this read, so its failure is only logged. */
  private async check(instances: readonly Instance[]): Promise<void> {
    const { accounts, notices, clock, log } = this.deps;
    const { active } = accounts;
    const machineIds = [...new Set(instances.flatMap(({ machineId }) => machineId ?? []))].sort();
    const machines = machineIds.join();
    const now = clock.now();
    const isEarly =
      this.last?.accountKey === active?.key &&
      this.last?.machines === machines &&
      Math.abs(now - this.last.at) < maintenanceEveryMs;
    if (!active || machineIds.length === 0 || isEarly) {
      return;
    }
    const accountKey = active.key;
    this.last = { accountKey, machines, at: now };
    try {
      const { items } = await active.client.machines.plannedMaintenance(machineIds, { isUnasked: true });
      for (const one of items) {
        const { success, data } = maintenanceNotice.safeParse(one);
        if (success && machineIds.includes(data.machineId) && (data.endsAt ?? data.startsAt) > now) {
          const key = `${accountKey}:warning:maintenance:${data.id}:${data.startsAt}`;
          notices.post({ key, accountKey, kind: maintenanceNoticeKind, data });
        }
      }
    } catch (error) {
      log.info(`The planned maintenance could not be read: ${String(error)}`);
    }
  }
}
