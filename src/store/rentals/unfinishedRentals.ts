import { mayAct } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import type { Fleet, FleetSnapshot } from '../instances/fleetStore';
import type { WindowHub } from '../windows/windowHub';
import type { RentalRecords } from './rentalRecords';
import type { BrokenOff, Orders, Rental, RentalStore, UnfinishedOrder } from './rentalStore';
import { unmarked } from './replacementMark';

/**
 * Tracks how long things have been missing, by key. Counts elapsed time on this computer, so that a clock that was set
 * ahead is no reason to give up.
 */
export class Absences {
  /** When each was first missing (`Clock.elapsed`). */
  private readonly since = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** Notes that it is missing, and returns for how long it has been (ms). */
  forMs(key: string): number {
    const now = this.clock.elapsed();
    const since = this.since.get(key) ?? now;
    this.since.set(key, since);
    return now - since;
  }

  /** Call this when it is present. */
  end(key: string): void {
    this.since.delete(key);
  }
}

interface OrderDeps {
  readonly records: Pick<RentalRecords, 'all'>;
  readonly hub: Pick<WindowHub, 'windowId' | 'peers' | 'claim'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
}

/** A window that is silent for this long counts as gone (ms). */
const windowGoneMs = 15_000;

/**
 * Finds orders of several machines whose window closed before it had asked for all of them. Each machine of an order has
 * a claim: of its window before it is sent, or of the window that reports that it was never rented.
 */
export class UnfinishedOrders implements Orders, Disposable {
  private readonly left = new Emitter<UnfinishedOrder>();
  readonly onDidFindUnfinished = this.left.event;
  /** Silent windows, by order. */
  private readonly away: Absences;
  private readonly claimed = new Set<string>();
  /** How many machines of each of its orders this window has begun. */
  private readonly begun = new Map<string, number>();

  constructor(private readonly deps: OrderDeps) {
    this.away = new Absences(deps.clock);
  }

  /** Call this once a rental is stored and before it is sent. Throws if another window reported it as not rented. */
  async begin({ order }: Rental): Promise<void> {
    if (!order) {
      return;
    }
    const machine = (this.begun.get(order.id) ?? 0) + 1;
    this.begun.set(order.id, machine);
    // A window that hung may continue long after the user was informed.
    if (!(await this.reserve(order.id, machine))) {
      throw new UserError(text('Another window has reported that this machine was not rented.'));
    }
  }

  async end(id: string): Promise<void> {
    await this.reserve(id, (this.begun.get(id) ?? 0) + 1).catch((error: unknown) => {
      this.deps.log.warn(`The end of a rental of several machines could not be noted: ${String(error)}`);
    });
  }

  /** For the leading window: looks for orders of closed windows. */
  async check(): Promise<void> {
    const orders = new Map(this.deps.records.all.flatMap(({ order }) => (order ? [[order.id, order]] : [])));
    for (const { id, wanted } of orders.values()) {
      const sent = this.deps.records.all.filter(({ order }) => order?.id === id);
      if (this.isLeft(id, sent) && (await this.reserve(id, sent.length + 1))) {
        const rentals = sent.filter(({ phase }) => phase.kind !== 'notRented');
        if (rentals.length < wanted) {
          this.left.fire({ rentals, wanted });
        }
      }
    }
  }

  dispose(): void {
    this.left.dispose();
  }

  /** Returns whether its window is gone and the outcome of everything that was sent is known. */
  private isLeft(id: string, rentals: readonly Rental[]): boolean {
    const { hub } = this.deps;
    if (rentals.some(({ windowId }) => windowId === hub.windowId || hub.peers.has(windowId))) {
      this.away.end(id);
      return false;
    }
    // An open window may not have reconnected to this one yet.
    const isGone = this.away.forMs(id) >= windowGoneMs;
    return isGone && !rentals.some(({ phase }) => phase.kind === 'sent' || phase.kind === 'notKnown');
  }

  /** Claims a machine of an order, counted from 1; returns false if any window did. */
  private async reserve(id: string, machine: number): Promise<boolean> {
    const key = `order:${id}:${machine}`;
    if (this.claimed.has(key)) {
      return false;
    }
    const isFirst = await mayAct(this.deps.hub, key);
    this.claimed.add(key);
    return isFirst;
  }
}

interface BrokenDeps {
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

  constructor(private readonly deps: BrokenDeps) {
    this.away = new Absences(deps.clock);
  }

  /** Compares a replacement in progress with a fresh list. */
  async check(marker: string, snapshot: FleetSnapshot): Promise<void> {
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
