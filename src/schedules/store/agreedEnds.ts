import { stateOf, type InstanceStateKind } from '../../model/instances/instanceState';
import { dayMs } from '../../model/rentals/agreedEnd';
import type { Accounts } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import type { Rental, RentalStore } from '../../store/rentals/rentalStore';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import type { Schedule } from '../model/schedule';
import type { InstanceSchedules } from './instanceSchedules';

interface AgreedEndsDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Pick<Fleet, 'state' | 'find' | 'facts' | 'onDidChange'>;
  readonly hub: Pick<WindowHub, 'isLeader' | 'onDidChangeLeader'>;
  readonly rentals: Pick<RentalStore, 'rentals' | 'update' | 'onDidChange'>;
  readonly schedules: Pick<InstanceSchedules, 'ready' | 'setAgreed' | 'setFirst'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Schedules the end that was agreed with each rental, in the leading window: the rental carries it, so it is set even if
 * the window that rented was killed. It is set once for each time that the instance runs and once for each time that it is
 * stopped, so what the user cancels stays canceled for that time.
 */
export class AgreedEnds implements Disposable {
  private readonly owned = new DisposableStore();
  private work: Promise<void> = Promise.resolve();
  private isWaiting = false;

  constructor(private readonly deps: AgreedEndsDeps) {
    const check = () => {
      this.check();
    };
    this.owned.add(deps.fleet.onDidChange(check));
    this.owned.add(deps.rentals.onDidChange(check));
    this.owned.add(deps.hub.onDidChangeLeader(check));
    check();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private check(): void {
    if (!this.isWaiting) {
      this.isWaiting = true;
      this.work = this.work.then(() => {
        this.isWaiting = false;
        return this.setAll();
      });
    }
  }

  /** Never rejects; what the disk refuses is tried again with the next list. */
  private async setAll(): Promise<void> {
    const { hub, rentals, schedules, log } = this.deps;
    await schedules.ready;
    for (const rental of rentals.rentals) {
      if (!hub.isLeader || this.owned.isDisposed) {
        return;
      }
      await this.setOne(rental).catch((error: unknown) => {
        log.error(`The end of the rental ${rental.marker} could not be set`, error);
      });
    }
  }

  private async setOne({ accountKey, marker, phase, end, endSetFor, savedAt }: Rental): Promise<void> {
    const { accounts, fleet, rentals, schedules, clock } = this.deps;
    const instance = 'instanceId' in phase ? fleet.find(phase.instanceId) : undefined;
    if (!end || !instance || accountKey !== accounts.active?.key) {
      return;
    }
    const facts = fleet.facts(instance.id);
    const state = lastingState(stateOf(instance, facts, clock.now()), endSetFor);
    if (state === undefined || state === endSetFor) {
      return;
    }
    const { idleMinutes, destroyAfterDays } = end;
    if (end.at && endSetFor === undefined && (state === 'running' || end.at.action === 'destroy')) {
      const { time, action } = end.at;
      await schedules.setFirst(accountKey, instance.id, action, { kind: 'at', at: time });
      await rentals.update(marker, { endSetFor: state });
      return;
    }
    const at = (facts.stoppedAt ?? clock.now()) + destroyAfterDays * dayMs;
    const next: Pick<Schedule, 'action' | 'term' | 'savedAt'> | undefined =
      state === 'running'
        ? idleMinutes === 0
          ? undefined
          : { action: 'stop', term: { kind: 'idle', minutes: idleMinutes } }
        : destroyAfterDays === 0
          ? undefined
          : { action: 'destroy', term: { kind: 'at', at }, savedAt };
    await schedules.setAgreed(accountKey, instance.id, next);
    await rentals.update(marker, { endSetFor: state });
  }
}

/** Other states pass, or follow from a fault, and change no end. Only a new machine has its end before it runs. */
function lastingState(kind: InstanceStateKind, before: Rental['endSetFor']): Rental['endSetFor'] {
  return kind === 'stopped' || kind === 'running' ? kind : (before ?? 'running');
}
