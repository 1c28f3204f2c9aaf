import type { StartLimits, StartWatch } from '../../model/rentals/startWatch';
import type { OneWindow } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import type { FleetStore } from '../instances/fleetStore';
import type { WindowHub } from '../windows/windowHub';
import type { MachineChecks } from './checkRuns';
import type { RentalStore } from './rentalStore';
import type { StartEvent } from './startEvent';

export interface StartWatches extends Disposable {
  /** Starting machines, the same in all windows. */
  readonly watches: readonly StartWatch[];
  /** Returns that of a machine which starts. */
  find(instanceId: number): StartWatch | undefined;
  readonly onDidChange: Event<readonly StartWatch[]>;
  readonly onDidHappen: Event<StartEvent>;
  /** Stops watching a machine and keeps it. */
  stopWatching(instanceId: number): Promise<void>;
}

export interface StartWatchesDeps {
  readonly accounts: Accounts;
  readonly fleet: FleetStore;
  readonly rentals: RentalStore;
  readonly hub: WindowHub;
  readonly oneWindow: Pick<OneWindow, 'offer'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly storageDir: string;
  /** Read at each observation, so that a changed setting takes effect at once. */
  readonly limits: () => StartLimits;
  readonly checks: MachineChecks;
}
