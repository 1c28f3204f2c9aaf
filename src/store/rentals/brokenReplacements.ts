import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Fleet, FleetSnapshot } from '../instances/fleetStore';
import type { WindowHub } from '../windows/windowHub';
import { Absences } from './absences';
import type { RentalRecords } from './rentalRecords';
import { unmarked } from './replacementMark';
import type { BrokenOff, RentalStore } from './rentalStore';

interface Deps {
  readonly records: Pick<RentalRecords, 'all' | 'get'>;
  readonly update: RentalStore['update'];
  readonly fleet: Pick<Fleet, 'hasEnded'>;
  readonly hub: WindowHub;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/** A replacing window that is silent for this long counts as gone (ms). */
const replacerGoneMs = 15_000;

/** Ends replacements whose window is gone, so that the user learns how far each got. */
export class BrokenReplacements implements Disposable {
  private readonly brokenOff = new Emitter<BrokenOff>();
  readonly onDidBreakOff = this.brokenOff.event;
  /** Silent windows, by the rental that they replace. */
  private readonly away: Absences;

  constructor(private readonly deps: Deps) {
    this.away = new Absences(deps.clock);
  }

  /** Compares a replacement in progress with a fresh list. */
  async look(marker: string, snapshot: FleetSnapshot): Promise<void> {
    const { records, update, hub, fleet } = this.deps;
    const rental = records.get(marker);
    if (rental?.replacingSince === undefined || !('instanceId' in rental.phase)) {
      return;
    }
    const { instanceId } = rental.phase;
    if (rental.replacingWindow === hub.windowId || hub.peers.has(rental.replacingWindow ?? '')) {
      this.away.end(marker);
      return;
    }
    // An open window may not have reconnected to this one yet.
    if (this.away.forMs(marker) < replacerGoneMs) {
      return;
    }
    const isReplaced = records.all.some(
      ({ replaces, phase }) => replaces === marker && phase.kind !== 'notRented',
    );
    const isDoubtful = snapshot.unconfirmed?.includes(instanceId) === true;
    const isThere = !isDoubtful && snapshot.instances.some((one) => one.id === instanceId);
    if (isReplaced || isThere || fleet.hasEnded(instanceId)) {
      await update(marker, unmarked(rental.replacingWindow, rental.replacingSince));
      // A rental that was already sent is settled and reported by itself.
      if (!isReplaced) {
        this.brokenOff.fire({ rental, instanceId, isDestroyed: !isThere });
      }
    }
  }

  dispose(): void {
    this.brokenOff.dispose();
  }
}
