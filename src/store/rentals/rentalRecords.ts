import * as z from 'zod';
import { expectedInstance } from '../../model/rentals/expectedInstance';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { Accounts } from '../accounts/accounts';
import type { SecretPort } from '../accounts/patientSecrets';
import { ownId } from '../disk/rowFolder';
import type { FleetStore, RecentRentals } from '../instances/fleetStore';
import type { WindowHub } from '../windows/windowHub';
import { RentalJournal } from './rentalJournal';
import type { Rental } from './rentalStore';

/** How long an open outcome is worth a list every ten seconds, from when this window knows of it (ms). */
const awaitedForMs = 15 * 60_000;
/** How long after a rental its own record is read if the list lacks it (ms). */
const listedLateMs = 30 * 60_000;
/** How long after a refusal of the disk the rentals are read again (ms). */
const readAgainMs = 15_000;
/** Phases that need fast polling: the known list may lack the instance, and so gives no reason to read it again. */
const openPhases: ReadonlySet<Rental['phase']['kind']> = new Set(['sent', 'notKnown', 'waiting']);
/** Phases in which the outcome of a pending machine is decided. */
const decidedPhases: ReadonlySet<Rental['phase']['kind']> = new Set(['ready', 'failed', 'ended']);
const changes = channel(
  'rentals.changed',
  z.object({ accountKey: z.string(), marker: z.string().regex(ownId) }),
);
type Change = Pick<Rental, 'accountKey' | 'marker'>;

export interface RecordsDeps {
  readonly accounts: Accounts;
  readonly fleet: Pick<FleetStore, 'setRented'>;
  readonly hub: WindowHub;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The rentals of the active account as on disk, the same in all windows. */
export class RentalRecords implements Disposable {
  readonly journal: RentalJournal;
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<readonly Rental[]>());
  private readonly again = this.owned.add(new MutableDisposable<Disposable>());
  private byMarker = new Map<string, Rental>();
  private damagedFiles: ReadonlyMap<string, string> = new Map();
  /** When open rentals became known here, by marker (`Clock.elapsed`). */
  private readonly openSince = new Map<string, number>();
  /** Markers of rentals whose present state the disk refused. */
  private readonly unstored = new Set<string>();
  private accesses: Promise<unknown> = Promise.resolve();
  private key: string | undefined;
  private whenLoaded: Promise<void> = Promise.resolve();

  constructor(private readonly deps: RecordsDeps) {
    const { accounts, hub, log } = deps;
    this.journal = new RentalJournal(deps.storageDir, deps.secrets, log);
    this.owned.add(
      changes.on(hub, (change) => {
        this.applyChange(change).catch((error: unknown) => {
          log.error('A rental could not be read', error);
        });
      }),
    );
    // The last leading window may not have passed on its newest messages.
    this.owned.add(hub.onDidChangeLeader(() => void this.readKnown()));
    this.owned.add(
      followAccount(accounts, (account) => {
        this.beginAgain(account?.key);
      }),
    );
  }

  /** All rentals, newest first. */
  get all(): readonly Rental[] {
    return [...this.byMarker.values()].sort((a, b) => b.requestedAt - a.requestedAt);
  }

  /** The account of these rentals. */
  get accountKey(): string | undefined {
    return this.key;
  }

  /** Settles once the rentals of the active account were read first; never rejects. */
  get loaded(): Promise<void> {
    return this.whenLoaded;
  }

  /**
   * The paths of files that were damaged when they were read first, by the marker of
   * their rental: it is unknown whether the rental became an instance.
   */
  get damaged(): ReadonlyMap<string, string> {
    return this.damagedFiles;
  }

  get onDidChange() {
    return this.changed.event;
  }

  get(marker: string): Rental | undefined {
    return this.byMarker.get(marker);
  }

  /**
   * Reads the rental again from disk, because a message from another window may be delayed if this one hung. If the
   * disk can't be read, the known state counts; rejects without one.
   */
  reread(marker: string): Promise<Rental | undefined> {
    return this.enqueue(() => this.readAgain(marker));
  }

  /**
   * For the leading window: reads rentals that were not announced, because the
   * window that sent them was killed right after. Never rejects.
   */
  async findUnreported(): Promise<void> {
    await this.whenLoaded;
    if (this.key !== undefined) {
      await this.load(this.key);
    }
  }

  /** Returns the instances that belong to other rentals. */
  takenByOthers(rental: Rental): ReadonlySet<number> {
    const others = this.all.filter(({ marker }) => marker !== rental.marker);
    return new Set(others.flatMap(({ phase }) => ('instanceId' in phase ? [phase.instanceId] : [])));
  }

  /** Stores a rental of any account and informs all windows. */
  put(rental: Rental): Promise<Rental> {
    return this.enqueue(() => this.write(rental));
  }

  /**
   * Changes the record on disk, if this window knows the rental: another window may have changed it just before, and
   * its message may be on its way. So a change that depends on the record is a function of it, which may return nothing.
   */
  change(
    marker: string,
    change: Partial<Rental> | ((stored: Rental) => Partial<Rental> | undefined),
  ): Promise<void> {
    return this.enqueue(async () => {
      const known = this.byMarker.get(marker);
      if (!known) {
        return;
      }
      const stored = await this.latest(known);
      const wanted = typeof change === 'function' ? change(stored) : change;
      if (wanted) {
        await this.write({ ...stored, ...wanted });
      }
    });
  }

  /**
   * Stores a rental that was sent, and follows it even when the disk refuses to store it
   * (docs/rules.md#a-new-contract-is-an-instance).
   */
  note(rental: Rental): Promise<Rental> {
    return this.put(rental).catch((error: unknown) => {
      this.deps.log.error('What became of a rental could not be noted', error);
      this.keep(rental);
      this.unstored.add(rental.marker);
      return rental;
    });
  }

  /** Polls faster while a rental is unresolved; the window expires, so call it again. */
  expectNews(): void {
    const now = this.deps.clock.elapsed();
    const open = this.all.filter(
      ({ phase, replacingSince }) => openPhases.has(phase.kind) || replacingSince !== undefined,
    );
    for (const { marker } of open) {
      this.openSince.set(marker, this.openSince.get(marker) ?? now);
    }
    this.deps.fleet.setRented({
      accountKey: this.key,
      isAwaited: open.some(({ marker }) => now - (this.openSince.get(marker) ?? now) < awaitedForMs),
      ...this.recent(),
    });
  }

  dispose(): void {
    this.owned.dispose();
  }

  private recent(): Pick<RecentRentals, 'ids' | 'expected' | 'rented'> {
    const now = this.deps.clock.now();
    const there = this.all.filter(({ goneAt }) => goneAt === undefined);
    const recent = there.filter(({ requestedAt }) => Math.abs(now - requestedAt) < listedLateMs);
    return {
      ids: recent.flatMap(({ phase }) => ('instanceId' in phase ? [phase.instanceId] : [])),
      // A machine that was seen running or failed was already in an answer.
      expected: recent.flatMap((rental) =>
        rental.phase.kind === 'waiting' ? [expectedInstance(rental.phase.instanceId, rental)] : [],
      ),
      rented: there.flatMap((rental) =>
        'instanceId' in rental.phase ? [expectedInstance(rental.phase.instanceId, rental)] : [],
      ),
    };
  }

  /**
   * Reads and writes records one at a time: no write reverts another, and no read that the disk answers late puts an
   * older record in the place of a newer one.
   */
  private enqueue<T>(access: () => Promise<T>): Promise<T> {
    const done = this.accesses.then(access);
    this.accesses = done.catch(() => undefined);
    return done;
  }

  private async write(rental: Rental): Promise<Rental> {
    await this.journal.put(rental);
    this.keep(rental);
    changes.send(this.deps.hub, { accountKey: rental.accountKey, marker: rental.marker });
    return rental;
  }

  /** Returns the record on disk, or the known one where the disk refuses or refused the present one. */
  private async latest(known: Rental): Promise<Rental> {
    const stored = this.unstored.has(known.marker) ? undefined : await this.stored(known);
    return stored ?? known;
  }

  private async readAgain(marker: string): Promise<Rental | undefined> {
    const known = this.byMarker.get(marker);
    if (!known) {
      return this.key === undefined ? undefined : this.readUnknown(this.key, marker);
    }
    const stored = await this.stored(known);
    if (known.phase.kind === 'waiting' && stored && decidedPhases.has(stored.phase.kind)) {
      this.keep(stored);
      return stored;
    }
    return known;
  }

  private async readUnknown(accountKey: string, marker: string): Promise<Rental | undefined> {
    const stored = await this.journal.get(accountKey, marker);
    if (!stored) {
      // It may be damaged.
      await this.load(accountKey);
    }
    return stored;
  }

  /** Reads every known rental again. Never rejects. */
  private readKnown(): Promise<void> {
    return this.enqueue(async () => {
      for (const known of this.all) {
        const latest = await this.latest(known);
        if (JSON.stringify(latest) !== JSON.stringify(known)) {
          this.keep(latest);
        }
      }
    });
  }

  private stored({ accountKey, marker }: Rental): Promise<Rental | undefined> {
    return this.journal.get(accountKey, marker).catch(() => undefined);
  }

  private keep(rental: Rental): void {
    this.unstored.delete(rental.marker);
    if (rental.accountKey === this.key) {
      this.byMarker.set(rental.marker, rental);
      this.changed.fire(this.all);
      this.expectNews();
    }
  }

  private applyChange({ accountKey, marker }: Change): Promise<void> {
    return this.enqueue(async () => {
      const rental = accountKey === this.key ? await this.journal.get(accountKey, marker) : undefined;
      if (rental) {
        this.keep(rental);
      }
    });
  }

  private beginAgain(key: string | undefined): void {
    this.key = key;
    this.byMarker = new Map();
    this.damagedFiles = new Map();
    this.again.value = undefined;
    this.changed.fire([]);
    this.whenLoaded = key === undefined ? Promise.resolve() : this.load(key);
  }

  /** Reads the unknown rentals, and again if the disk refuses: an unread rental may have a machine. */
  private async load(accountKey: string): Promise<void> {
    const isKnown = (marker: string) => this.key === accountKey && this.byMarker.has(marker);
    const read = await this.journal
      .list(accountKey, this.deps.clock.now(), isKnown)
      .catch((error: unknown) => {
        // Once, however often it is read again.
        if (this.again.value === undefined) {
          this.deps.log.error('The rentals could not be read', error);
        }
        return { rentals: [], isWhole: false, damaged: this.damagedFiles };
      });
    if (accountKey !== this.key || this.owned.isDisposed) {
      return;
    }
    this.again.value = read.isWhole
      ? undefined
      : this.deps.clock.schedule(() => void this.load(accountKey), readAgainMs);
    const found = read.rentals.filter(({ marker }) => !this.byMarker.has(marker));
    const damaged = new Map([...read.damaged].filter(([marker]) => !this.byMarker.has(marker)));
    const isNewlyDamaged = [...damaged.keys()].some((marker) => !this.damagedFiles.has(marker));
    this.damagedFiles = damaged;
    if (found.length > 0 || isNewlyDamaged) {
      found.forEach((rental) => this.byMarker.set(rental.marker, rental));
      this.changed.fire(this.all);
      this.expectNews();
    }
  }
}
