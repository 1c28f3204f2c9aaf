import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ApiError, RentOutcomeUnknownError } from '../../api/errors';
import { findRented } from '../../model/rentals/findRented';
import { withMarker } from '../../model/instances/instanceLabel';
import type { OfferSearch } from '../../model/offers/filters';
import type { Micros } from '../../model/money';
import type { Offer, RentalType } from '../../model/offers/offer';
import { appearanceGraceMs } from '../../model/rentals/readiness';
import type { RentConfig } from '../../model/rentals/rent';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { accountStill } from '../accounts/sameAccount';
import { isComplete, type FleetStore } from '../instances/fleet';
import type { Account, Accounts, FleetSnapshot, Rental, SecretPort, WindowHub } from '../ports';
import { isCompleteList, lostRentalOf, readBack, readBackForMs, type ReadBackOutcome } from './readBack';
import { RentalJournal, withoutSecretParts } from './rentalJournal';

/** What the user confirmed. The label is without our marker. */
export interface RentRequest {
  /** Whose offers, credit and templates the user saw; nothing is rented for another account. */
  readonly accountKey?: string;
  /** The marker of the rental that this one takes the place of. */
  readonly replaces?: string;
  readonly offer: Offer;
  readonly config: RentConfig;
  readonly search?: OfferSearch;
  readonly rentalType: RentalType;
  /** A replacement never costs more than this an hour; without a limit of the user's, the price just confirmed. */
  readonly priceLimit: Micros;
}

export interface RentOptions {
  /** Before the request leaves it stops the rental; afterwards only the waiting for news. */
  readonly signal?: AbortSignal;
  /** Told when the service asks to wait. */
  readonly onWait?: (waitMs: number) => void;
  /** Told when the answer was lost and the instances are being read back. */
  readonly onNotKnown?: (rental: Rental) => void;
}

export type RentResult =
  | {
      readonly kind: 'rented';
      readonly rental: Rental;
      readonly instanceId: number;
      /** The service's words beside `success: false`; the instance exists and bills. */
      readonly warning?: string;
    }
  /** The answer was lost and, after a minute, no instance carries our label. */
  | { readonly kind: 'notRented'; readonly rental: Rental }
  /** Still open: the search goes on by itself and its end is told by `onDidSettle`. */
  | { readonly kind: 'notKnown'; readonly rental: Rental };

export type RentalChange = Partial<Pick<Rental, 'phase' | 'replacements' | 'replacingSince'>>;

export interface RentalStore extends Disposable {
  /** Of the active account, newest first. */
  readonly rentals: readonly Rental[];
  readonly onDidChange: Event<readonly Rental[]>;
  /** A rental whose sender did not live to see its end was cleared up; heard in one window. */
  readonly onDidSettle: Event<Rental>;
  /**
   * Rents once. Rejects with the service's refusal, after which nothing is rented; a lost answer is
   * never an error but is read back (product: rule 1).
   */
  rent(request: RentRequest, options?: RentOptions): Promise<RentResult>;
  find(instanceId: number): Rental | undefined;
  /** With environment, script and login; undefined where the secret store lost them. */
  fullConfig(rental: Rental): Promise<RentConfig | undefined>;
  /** Changes what is kept about a rental, in all windows. */
  update(marker: string, change: RentalChange): Promise<void>;
}

export interface RentalsDeps {
  readonly accounts: Accounts;
  readonly fleet: FleetStore;
  readonly hub: WindowHub;
  readonly secrets: SecretPort;
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createRentals(deps: RentalsDeps): RentalStore {
  return new JournaledRentals(deps);
}

/** A rental that was given up is still recognised when it turns up this late. */
const lateMs = 24 * 3_600_000;
/** For how long an open outcome is worth a list every ten seconds. */
const awaitedForMs = 15 * 60_000;
const changedTopic = 'rentals.changed';
const changeMessage = z.object({ accountKey: z.string(), marker: z.string().regex(/^[0-9a-f]{8}$/) });

class JournaledRentals implements RentalStore {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<readonly Rental[]>());
  private readonly settled = this.owned.add(new Emitter<Rental>());
  private readonly journal: RentalJournal;
  private readonly over = new AbortController();
  private byMarker = new Map<string, Rental>();
  private accountKey: string | undefined;
  private loaded: Promise<void> = Promise.resolve();

  constructor(private readonly deps: RentalsDeps) {
    this.journal = new RentalJournal(deps.storageDir, deps.secrets, deps.log);
    const { accounts, fleet, hub } = deps;
    this.owned.add(
      accounts.onDidChange(() => {
        this.followAccount();
      }),
    );
    this.owned.add(
      hub.on(changedTopic, (data) => {
        this.takeChange(data).catch((error: unknown) => {
          deps.log.error('A rental could not be read', error);
        });
      }),
    );
    this.owned.add(
      fleet.onDidPoll((snapshot) => {
        this.clearUp(snapshot, this.accountKey).catch((error: unknown) => {
          deps.log.error('The rentals could not be compared with the list', error);
        });
      }),
    );
    this.followAccount();
  }

  get rentals(): readonly Rental[] {
    return [...this.byMarker.values()].sort((a, b) => b.requestedAt - a.requestedAt);
  }

  get onDidChange() {
    return this.changed.event;
  }

  get onDidSettle() {
    return this.settled.event;
  }

  find(instanceId: number): Rental | undefined {
    return this.rentals.find(({ phase }) => 'instanceId' in phase && phase.instanceId === instanceId);
  }

  fullConfig(rental: Rental): Promise<RentConfig | undefined> {
    return this.journal.fullConfig(rental);
  }

  async update(marker: string, change: RentalChange): Promise<void> {
    const known = this.byMarker.get(marker);
    if (known) {
      await this.put({ ...known, ...change });
    }
  }

  async rent(request: RentRequest, options: RentOptions = {}): Promise<RentResult> {
    const { accounts } = this.deps;
    const account = accountStill(accounts, request.accountKey ?? accounts.active?.key);
    await this.loaded;
    const idsBefore = await this.idsBefore(account, options.signal);
    options.signal?.throwIfAborted();
    const marker = randomBytes(4).toString('hex');
    const config: RentConfig = { ...request.config, label: withMarker(request.config.label, marker) };
    const rental: Rental = {
      marker,
      accountKey: account.key,
      windowId: this.deps.hub.windowId,
      requestedAt: this.deps.clock.now(),
      offer: request.offer,
      config: withoutSecretParts(config),
      ...(request.search === undefined ? {} : { search: request.search }),
      ...(idsBefore === undefined ? {} : { idsBefore }),
      ...(request.replaces === undefined ? {} : { replaces: request.replaces }),
      rentalType: request.rentalType,
      priceLimit: request.priceLimit,
      phase: { kind: 'sent' },
    };
    await this.journal.putSecrets(marker, config);
    // Before anything leaves: a crash from here on is found out about at the next start.
    try {
      await this.put(rental);
    } catch (error) {
      await this.journal.dropSecrets(marker);
      throw error;
    }
    return this.send(account, rental, config, options);
  }

  dispose(): void {
    this.over.abort();
    this.owned.dispose();
  }

  private async send(
    account: Account,
    rental: Rental,
    config: RentConfig,
    options: RentOptions,
  ): Promise<RentResult> {
    try {
      const { instanceId, confirmed, message } = await account.client.offers.rent(rental.offer.id, config, {
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.onWait ? { onWait: options.onWait } : {}),
      });
      const kept = await this.took(rental, instanceId);
      return {
        kind: 'rented',
        rental: kept,
        instanceId,
        ...(confirmed ? {} : { warning: message ?? '' }),
      };
    } catch (error) {
      if (isRefusal(error)) {
        const reason = error instanceof ApiError ? error.text : text('It was cancelled before it was sent.');
        await this.note({ ...rental, phase: { kind: 'notRented', at: this.deps.clock.now(), reason } });
        throw error;
      }
      this.deps.log.warn(`The answer to the rental ${rental.marker} is not known: ${String(error)}`);
      return this.settle(account, rental, options);
    }
  }

  /** Reads the instances at once and over the next minute; the user may stop waiting, the search goes on. */
  private async settle(account: Account, rental: Rental, options: RentOptions): Promise<RentResult> {
    const since = this.deps.clock.now();
    const open = await this.note({ ...rental, phase: { kind: 'notKnown', since } });
    options.onNotKnown?.(open);
    const search = this.search(account, open, since);
    const stopped = new Promise<RentResult>((resolve) => {
      options.signal?.addEventListener('abort', () => {
        resolve({ kind: 'notKnown', rental: open });
      });
    });
    // A signal that fired already is why the answer was lost; the search is worth waiting for once.
    return options.signal?.aborted === true ? search : Promise.race([search, stopped]);
  }

  private async search(account: Account, rental: Rental, since: number): Promise<RentResult> {
    const outcome: ReadBackOutcome<RentResult> = {
      found: async (instanceId) => ({
        kind: 'rented',
        rental: await this.took(rental, instanceId),
        instanceId,
      }),
      none: async () => ({ kind: 'notRented', rental: await this.gaveUp(rental) }),
    };
    const result = await readBack(account, rental, since, outcome, {
      ...this.deps,
      signal: this.over.signal,
      taken: () => this.taken(rental),
    });
    if (result) {
      return result;
    }
    this.tellAwaited();
    return { kind: 'notKnown', rental };
  }

  private async took(rental: Rental, instanceId: number): Promise<Rental> {
    const isWatched = rental.config.targetState !== 'stopped';
    const kept = await this.note({
      ...rental,
      phase: isWatched
        ? { kind: 'waiting', instanceId, since: rental.requestedAt }
        : { kind: 'ended', instanceId },
    });
    this.deps.fleet.refresh().catch((error: unknown) => {
      this.deps.log.warn(`The list could not be read after the rental: ${String(error)}`);
    });
    return kept;
  }

  private gaveUp(rental: Rental): Promise<Rental> {
    const reason = text('The service did not answer, and no instance with its label appeared.');
    return this.note({ ...rental, phase: { kind: 'notRented', at: this.deps.clock.now(), reason } });
  }

  /** Compares a fresh list with what was sent by windows that are gone; done by the window that leads. */
  private async clearUp(snapshot: FleetSnapshot, accountKey: string | undefined): Promise<void> {
    await this.loaded;
    if (accountKey !== this.accountKey) {
      return;
    }
    const ids = new Set(snapshot.instances.map(({ id }) => id));
    const now = this.deps.clock.now();
    for (const rental of this.rentals) {
      const { phase } = rental;
      const isOpen = phase.kind === 'sent' || phase.kind === 'notKnown';
      const isLate = phase.kind === 'notRented' && now - rental.requestedAt < lateMs;
      if ((isOpen && !this.isOwnerAtWork(rental, now)) || isLate) {
        await this.clearUpOne(rental, snapshot, now);
      } else if (isComplete(snapshot)) {
        await this.noteAbsence(rental, ids, now);
      }
    }
    this.tellAwaited();
  }

  private async clearUpOne(rental: Rental, snapshot: FleetSnapshot, now: number): Promise<void> {
    const { phase } = rental;
    const finding = findRented(lostRentalOf(rental), snapshot.instances, this.taken(rental));
    if (finding.kind === 'found' && (finding.by === 'label' || phase.kind === 'notKnown')) {
      this.settled.fire(await this.took(rental, finding.instanceId));
    } else if (phase.kind === 'sent') {
      await this.put({ ...rental, phase: { kind: 'notKnown', since: now } });
    } else if (
      phase.kind === 'notKnown' &&
      finding.kind === 'none' &&
      isComplete(snapshot) &&
      now - phase.since >= readBackForMs
    ) {
      this.settled.fire(await this.gaveUp(rental));
    }
  }

  /** An instance that is gone needs no environment, script or login any more. */
  private async noteAbsence(rental: Rental, ids: ReadonlySet<number>, now: number): Promise<void> {
    const { phase } = rental;
    const isKept = phase.kind === 'ready' || phase.kind === 'failed' || phase.kind === 'ended';
    const instanceId = isKept ? phase.instanceId : undefined;
    const isGone = instanceId !== undefined && !ids.has(instanceId);
    if (isGone && rental.goneAt === undefined && now - rental.requestedAt > appearanceGraceMs) {
      await this.put({ ...rental, phase: { kind: 'ended', instanceId }, goneAt: now });
    }
  }

  /** The window that sent it is open and has not given up. */
  private isOwnerAtWork(rental: Rental, now: number): boolean {
    const { hub } = this.deps;
    const lives = rental.windowId === hub.windowId || hub.peers.has(rental.windowId);
    const isSearching = rental.phase.kind !== 'notKnown' || now - rental.phase.since < readBackForMs + 5000;
    return lives && isSearching;
  }

  private taken(rental: Rental): ReadonlySet<number> {
    const others = this.rentals.filter(({ marker }) => marker !== rental.marker);
    return new Set(others.flatMap(({ phase }) => ('instanceId' in phase ? [phase.instanceId] : [])));
  }

  /** The ids there are now; a list of the last few seconds will do, and without one the label must. */
  private async idsBefore(
    account: Account,
    signal: AbortSignal | undefined,
  ): Promise<readonly number[] | undefined> {
    const { state } = this.deps.fleet;
    const isFresh =
      state.kind === 'ready' &&
      state.error === undefined &&
      this.accountKey === account.key &&
      this.deps.clock.now() - state.fetchedAt < 15_000 &&
      isComplete(state.value);
    if (isFresh) {
      return state.value.instances.map(({ id }) => id);
    }
    try {
      const list = await account.client.instances.list(signal ? { signal } : {});
      return isCompleteList(list) ? list.items.map(({ id }) => id) : undefined;
    } catch (error) {
      if (isCancelled(error)) {
        throw error;
      }
      this.deps.log.warn(`The instances could not be read before the rental: ${String(error)}`);
      return undefined;
    }
  }

  /** What has left is followed also where the disk refuses to take it down (product: rule 2). */
  private note(rental: Rental): Promise<Rental> {
    return this.put(rental).catch((error: unknown) => {
      this.deps.log.error('What became of a rental could not be noted', error);
      this.keep(rental);
      return rental;
    });
  }

  private async put(rental: Rental): Promise<Rental> {
    await this.journal.put(rental);
    this.keep(rental);
    this.deps.hub.broadcast(changedTopic, { accountKey: rental.accountKey, marker: rental.marker });
    return rental;
  }

  private keep(rental: Rental): void {
    if (rental.accountKey === this.accountKey) {
      this.byMarker.set(rental.marker, rental);
      this.changed.fire(this.rentals);
      this.tellAwaited();
    }
  }

  private async takeChange(data: unknown): Promise<void> {
    const parsed = changeMessage.safeParse(data);
    if (parsed.success && parsed.data.accountKey === this.accountKey) {
      const rental = await this.journal.get(parsed.data.accountKey, parsed.data.marker);
      if (rental) {
        this.keep(rental);
      }
    }
  }

  private tellAwaited(): void {
    const since = this.deps.clock.now() - awaitedForMs;
    const isOpen = this.rentals.some(
      ({ phase, requestedAt }) => requestedAt > since && (phase.kind === 'sent' || phase.kind === 'notKnown'),
    );
    this.deps.fleet.setAwaited(isOpen);
  }

  private followAccount(): void {
    const key = this.deps.accounts.active?.key;
    if (key === this.accountKey) {
      return;
    }
    this.accountKey = key;
    this.byMarker = new Map();
    this.changed.fire([]);
    this.loaded = key === undefined ? Promise.resolve() : this.load(key);
  }

  private async load(accountKey: string): Promise<void> {
    try {
      const rentals = await this.journal.list(accountKey, this.deps.clock.now());
      if (accountKey === this.accountKey) {
        this.byMarker = new Map([
          ...rentals.map((rental) => [rental.marker, rental] as const),
          ...this.byMarker,
        ]);
        this.changed.fire(this.rentals);
        this.tellAwaited();
      }
    } catch (error) {
      this.deps.log.error('The rentals could not be read', error);
    }
  }
}

/** The service said no, or nothing was sent; anything else may have rented. */
export function isRefusal(error: unknown): boolean {
  return isCancelled(error) || (error instanceof ApiError && !(error instanceof RentOutcomeUnknownError));
}
