import { NotSentError } from '../../api/errors';
import { withMarker } from '../../model/instances/instanceLabel';
import type { CarriedEnd } from '../../model/rentals/agreedEnd';
import type { RentConfig } from '../../model/rentals/rent';
import type { RentRequest } from '../../model/rentals/rentDraft';
import { DisposableStore } from '../../util/disposable';
import { isWithin } from '../../util/duration';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import type { Account } from '../accounts/accounts';
import { accountStill } from '../accounts/sameAccount';
import type { Budget } from '../budget/budgetStore';
import { keepToBudget } from '../budget/overBudget';
import { tidyAfterMs } from '../instances/ends';
import type { FleetSnapshot, FleetStore } from '../instances/fleetStore';
import { idsBeforeRental, newMarker, newRental, stillAgreed } from './beforeRental';
import { overSince } from './rentalJournal';
import {
  compareOnce,
  isAnswer,
  isRefusal,
  listVerdict,
  readBack,
  readBackForMs,
  refusalText,
  type ListVerdict,
  type ReadBackOutcome,
} from './rentalOutcome';
import { RentalRecords, type RecordsDeps } from './rentalRecords';
import type { Rental, RentalStore, RentOptions, RentResult } from './rentalStore';
import { withHostKeyLine } from './startLine';
import { Absences, BrokenReplacements, UnfinishedOrders } from './unfinishedRentals';

interface RentalsDeps extends RecordsDeps {
  readonly fleet: FleetStore;
  /** The budget that every rental is checked against. */
  readonly budget: Pick<Budget, 'current'>;
  /** Returns the request for a confirmed configuration. */
  readonly guarded: (config: RentConfig, serviceUrl: string, end: CarriedEnd | undefined) => RentConfig;
}

export function createRentals(deps: RentalsDeps): RentalStore {
  return new JournaledRentals(deps);
}

class JournaledRentals implements RentalStore {
  readonly orders: UnfinishedOrders;
  private readonly owned = new DisposableStore();
  private readonly settled = this.owned.add(new Emitter<Rental>());
  private readonly replacements: BrokenReplacements;
  private readonly records: RentalRecords;
  private readonly over = new AbortController();
  private readonly atWork = new AtWork();
  /** Rentals that complete lists lack, by marker. */
  private readonly missing: Absences;

  constructor(private readonly deps: RentalsDeps) {
    this.missing = new Absences(deps.clock);
    this.records = this.owned.add(new RentalRecords(deps));
    this.orders = this.owned.add(new UnfinishedOrders({ ...deps, records: this.records }));
    this.replacements = this.owned.add(
      new BrokenReplacements({
        ...deps,
        records: this.records,
        update: (...change) => this.update(...change),
      }),
    );
    this.owned.add(
      deps.fleet.onDidPoll((snapshot) => {
        this.clearUp(snapshot, this.records.accountKey).catch((error: unknown) => {
          deps.log.error('The rentals could not be compared with the list', error);
        });
      }),
    );
  }

  get rentals(): readonly Rental[] {
    return this.records.all;
  }

  get damaged() {
    return this.records.damaged;
  }

  get onDidChange() {
    return this.records.onDidChange;
  }

  get onDidSettle() {
    return this.settled.event;
  }

  get onDidBreakOff() {
    return this.replacements.onDidBreakOff;
  }

  find(instanceId: number): Rental | undefined {
    return this.rentals.find(({ phase }) => 'instanceId' in phase && phase.instanceId === instanceId);
  }

  fullConfig(rental: Rental): Promise<RentConfig | undefined> {
    return this.records.journal.fullConfig(rental);
  }

  reread(marker: string): Promise<Rental | undefined> {
    return this.records.reread(marker);
  }

  update(...[marker, change]: Parameters<RentalStore['update']>): Promise<void> {
    return this.records.change(marker, change);
  }

  async rent(request: RentRequest, options: RentOptions = {}): Promise<RentResult> {
    const { accounts } = this.deps;
    const account = accountStill(accounts, request.accountKey ?? accounts.active?.key);
    if (request.rentalType === 'interruptible' && request.config.bidPerHour === undefined) {
      // Without a price the service rents on demand, which costs more than confirmed.
      throw new NotSentError(text('An interruptible rental needs a bid. Choose a bid price and try again.'));
    }
    await this.records.loaded;
    await keepToBudget(this.deps.budget, options);
    const { accountKey } = this.records;
    const idsBefore = await idsBeforeRental({ ...this.deps, accountKey }, account, options.signal);
    options.signal?.throwIfAborted();
    // The budget is that of the active account.
    accountStill(accounts, account.key);
    const { marker = newMarker() } = options;
    if (await this.records.reread(marker)) {
      throw new Error(`The marker ${marker} was used before`);
    }
    const config: RentConfig = { ...request.config, label: withMarker(request.config.label, marker) };
    const { hub, clock } = this.deps;
    const sent = withHostKeyLine(this.deps.guarded(config, account.serviceUrl, request.end), request);
    const rental = newRental(request, config, {
      marker,
      accountKey: account.key,
      windowId: hub.windowId,
      requestedAt: clock.now(),
      idsBefore,
      order: options.order,
      startToken: sent.startToken,
    });
    await this.records.journal.putSecrets(marker, config);
    // Stored before anything is sent, so that the next start notices a crash from here on.
    try {
      await this.records.put(rental);
    } catch (error) {
      await this.records.journal.dropSecrets(marker);
      throw error;
    }
    return this.atWork.during(marker, async () => {
      await this.announce(rental, options);
      return this.send(account, rental, sent.config, options);
    });
  }

  /** Stores everything that belongs to the rental before the request leaves. */
  private async announce(rental: Rental, { beforeSent }: RentOptions): Promise<void> {
    try {
      await this.orders.begin(rental);
      await beforeSent?.(rental);
    } catch (error) {
      await this.notRented(rental, text('It was canceled before it was sent.'));
      throw error;
    }
  }

  dispose(): void {
    this.over.abort();
    this.owned.dispose();
  }

  private async send(
    account: Account,
    noted: Rental,
    config: RentConfig,
    options: RentOptions,
  ): Promise<RentResult> {
    let rental = noted;
    try {
      const { signal, onWait, agreedAt } = options;
      const {
        isStillWanted = agreedAt === undefined ? undefined : stillAgreed(this.deps, account.key, agreedAt),
      } = options;
      const { instanceId, confirmed, message } = await account.client.offers.rent(rental.offer.id, config, {
        signal,
        onWait,
        isStillWanted: isStillWanted && (async () => (await isStillWanted()) && this.isOpen(rental.marker)),
        onSend: () => {
          // It may have waited for minutes, and only now the machine may begin to run.
          rental = { ...noted, requestedAt: this.deps.clock.now() };
        },
        beforeAgain: async () => (await this.compare(account, rental)) === 'none',
      });
      const kept = await this.accept(rental, instanceId);
      return {
        kind: 'rented',
        rental: kept,
        instanceId,
        ...(confirmed ? {} : { warning: message ?? '' }),
      };
    } catch (error) {
      if (isRefusal(error)) {
        const seen = isAnswer(error) ? await this.compare(account, rental) : 'none';
        if (typeof seen === 'number') {
          this.deps.log.warn(`The rental ${rental.marker} was refused and took effect: ${String(error)}`);
          const kept = await this.accept(rental, seen);
          return { kind: 'rented', rental: kept, instanceId: seen, warning: refusalText(error) };
        }
        const reason = error instanceof UserError ? error.text : text('It was canceled before it was sent.');
        await this.notRented(rental, reason);
        throw error;
      }
      this.deps.log.warn(`The answer to the rental ${rental.marker} is not known: ${String(error)}`);
      return this.settle(account, rental, options);
    }
  }

  /** Returns false if another window has reported that nothing was rented, as it does where this one hung. */
  private async isOpen(marker: string): Promise<boolean> {
    let isOpen = true;
    await this.records.change(marker, ({ phase }) => {
      isOpen = phase.kind !== 'notRented';
      return undefined;
    });
    return isOpen;
  }

  private compare(account: Account, rental: Rental) {
    const taken = () => this.records.takenByOthers(rental);
    return compareOnce(account, rental, { log: this.deps.log, signal: this.over.signal, taken });
  }

  /** Reads the instances at once and over the next minute. The user can stop waiting; the search continues. */
  private async settle(account: Account, rental: Rental, options: RentOptions): Promise<RentResult> {
    const since = this.deps.clock.now();
    const open = await this.records.note({ ...rental, phase: { kind: 'notKnown', since } });
    options.onNotKnown?.(open);
    const search = this.atWork.during(open.marker, () => this.search(account, open));
    const stopped = new Promise<RentResult>((resolve) => {
      options.signal?.addEventListener('abort', () => {
        resolve({ kind: 'notKnown', rental: open });
      });
    });
    // A signal that had already fired caused the lost answer; then the search is still worth waiting for once.
    return options.signal?.aborted === true ? search : Promise.race([search, stopped]);
  }

  private async search(account: Account, rental: Rental): Promise<RentResult> {
    const outcome: ReadBackOutcome<RentResult> = {
      found: async (instanceId) => ({
        kind: 'rented',
        rental: await this.accept(rental, instanceId),
        instanceId,
      }),
      none: async () => ({ kind: 'notRented', rental: await this.gaveUp(rental) }),
    };
    const result = await readBack(account, rental, outcome, {
      ...this.deps,
      signal: this.over.signal,
      taken: () => this.records.takenByOthers(rental),
    });
    if (result) {
      return result;
    }
    this.records.expectNews();
    return { kind: 'notKnown', rental };
  }

  private async accept(rental: Rental, instanceId: number): Promise<Rental> {
    const isWatched = rental.config.targetState !== 'stopped';
    const kept = await this.records.note({
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
    return this.notRented(rental, reason);
  }

  private notRented(rental: Rental, reason: Text): Promise<Rental> {
    return this.records.note({ ...rental, phase: { kind: 'notRented', at: this.deps.clock.now(), reason } });
  }

  /** For the leading window: compares a fresh list with what closed windows had sent. */
  private async clearUp(snapshot: FleetSnapshot, accountKey: string | undefined): Promise<void> {
    await this.records.findUnreported();
    if (accountKey !== this.records.accountKey) {
      return;
    }
    const now = this.deps.clock.now();
    for (const { marker } of this.rentals) {
      // Its answer may have arrived while another one was written.
      const rental = this.records.get(marker);
      if (!rental) {
        continue;
      }
      const verdict = listVerdict(rental, snapshot, {
        now,
        isOwnerAtWork: this.isOwnerAtWork(rental, now),
        hasEnded: (id) => this.deps.fleet.hasEnded(id),
        missedForMs: () => this.missing.forMs(rental.marker),
        taken: () => this.records.takenByOthers(rental),
      });
      await this.apply(verdict, rental, now);
      await this.tidy(rental, now);
      await this.replacements.check(rental.marker, snapshot);
    }
    this.records.expectNews();
    await this.orders.check();
  }

  private async apply(verdict: ListVerdict, rental: Rental, now: number): Promise<void> {
    switch (verdict.kind) {
      case 'nothing':
        return;
      case 'found':
        this.settled.fire(await this.accept(rental, verdict.instanceId));
        return;
      case 'open':
        await this.records.change(rental.marker, ({ phase }) =>
          phase.kind === 'sent' ? { phase: { kind: 'notKnown', since: now } } : undefined,
        );
        return;
      case 'notRented':
        this.settled.fire(await this.gaveUp(rental));
        return;
      case 'back':
        await this.records.change(rental.marker, { goneAt: undefined });
        return;
      case 'gone': {
        const { instanceId } = verdict;
        await this.records.change(rental.marker, { phase: { kind: 'ended', instanceId }, goneAt: now });
        return;
      }
    }
  }

  /** Deletes environment, script and login one day after the rental is over. */
  private async tidy({ marker }: Rental, now: number): Promise<void> {
    const rental = this.records.get(marker);
    const since = rental && overSince(rental);
    if (rental && since !== undefined && rental.isTidied !== true && now - since > tidyAfterMs) {
      await this.records.journal.dropSecrets(marker);
      await this.records.change(marker, { isTidied: true });
    }
  }

  /** Returns whether the window that sent the rental is open and still working on it. */
  private isOwnerAtWork(rental: Rental, now: number): boolean {
    const { hub } = this.deps;
    if (rental.windowId === hub.windowId) {
      return this.atWork.has(rental.marker);
    }
    const isSearching =
      rental.phase.kind !== 'notKnown' || isWithin(readBackForMs + 5000, rental.phase.since, now);
    return hub.peers.has(rental.windowId) && isSearching;
  }
}

/** The rentals that this window is working on, by marker. */
export class AtWork {
  private readonly times = new Map<string, number>();

  has(marker: string): boolean {
    return (this.times.get(marker) ?? 0) > 0;
  }

  /** Runs `work` for a rental; several can overlap. */
  async during<T>(marker: string, work: () => Promise<T>): Promise<T> {
    this.add(marker, 1);
    try {
      return await work();
    } finally {
      this.add(marker, -1);
    }
  }

  private add(marker: string, change: number): void {
    this.times.set(marker, (this.times.get(marker) ?? 0) + change);
  }
}
