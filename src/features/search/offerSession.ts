import type { Client, Listing } from '../../api/client';
import type { Micros } from '../../model/money';
import type { OfferSearch } from '../../model/offers/filters';
import { knownGpuModels } from '../../model/offers/gpuModels';
import { inListOrder, narrows } from '../../model/offers/localFilter';
import { mostRows, searchAfter, toOfferSearch, type MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { fitting } from '../../model/offers/offerMatch';
import { parseTypedQuery, type TypedQuery } from '../../model/offers/typedQuery';
import type { SearchBudget } from '../../store/offers/searchBudget';
import type { FailedMachine } from '../../store/rentals/failedMachines';
import type { Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { isCancelled } from '../../util/errors';
import { LastResult } from '../../util/lastResult';
import type { OffersView } from './offersView';

export interface SessionOptions {
  readonly search: Client['offers']['search'];
  readonly clock: Clock;
  readonly budget: Pick<SearchBudget, 'waitMs' | 'note'>;
  readonly query: MarketQuery;
  /** Names of GPUs as the service lists them, beside those that we ship. */
  readonly gpuNames?: () => readonly string[];
  readonly credit?: Micros | undefined;
  /** Replaces the query once filters are typed, because the query is only a proposal. */
  readonly onceTyped?: MarketQuery | undefined;
}

/** The pause in typing before the service is asked (ms). */
export const typingPauseMs = 350;
/** The most pages fetched automatically; the user can ask for more. */
const mostFillPages = 2;

interface Answer {
  readonly query: MarketQuery;
  readonly offers: readonly Offer[];
  readonly last: Offer | undefined;
  /** The number of offers that were sent and could not be read. */
  readonly skipped: number;
  /** True if the service sent all matching offers. */
  readonly whole: boolean;
  readonly readAt: number;
}

/**
 * The offers for a query and a typed line. A narrower query is answered from the offers at hand; otherwise the
 * service is asked after a pause in typing, which cancels an earlier request and drops its late answer.
 */
export class OfferSession implements Disposable {
  private query: MarketQuery;
  private typed = '';
  private answer: Answer | undefined;
  private error: unknown;
  private asking: AbortController | undefined;
  private waitsUntil: number | undefined;
  private failed: ReadonlyMap<number, FailedMachine> = new Map();
  private readonly names = new LastResult<readonly string[]>();
  private readonly parsed = new LastResult<TypedQuery>();
  private readonly shown = new LastResult<readonly Offer[]>();
  private readonly pause = new MutableDisposable<Disposable>();
  private readonly changed = new Emitter<OffersView>();
  private disposed = false;
  private hasTyped = false;

  readonly onDidChange = this.changed.event;

  constructor(private readonly options: SessionOptions) {
    this.query = options.query;
  }

  /** The chosen filters without the typed ones, which replace a proposal. */
  get chosenQuery(): MarketQuery {
    const { onceTyped } = this.options;
    return onceTyped && this.isAsProposed && this.parse().understood.length > 0 ? onceTyped : this.query;
  }

  get line(): string {
    return this.typed;
  }

  /** True while the user has chosen nothing in place of the proposal. */
  get isAsProposed(): boolean {
    return this.options.onceTyped !== undefined && this.query === this.options.query;
  }

  /** True once the chosen filters were typed, so that all of them are the user's own. */
  get isTyped(): boolean {
    return this.hasTyped;
  }

  /** The chosen and the typed filters together; typed ones win. */
  get effectiveQuery(): MarketQuery {
    const { filters, rentalType, unlimited = [] } = this.parse();
    const chosen = this.chosenQuery;
    const kept = Object.entries(chosen.filters).filter(([key]) => !unlimited.some((field) => field === key));
    return {
      ...chosen,
      filters: { ...Object.fromEntries(kept), ...filters },
      rentalType: rentalType ?? chosen.rentalType,
    };
  }

  /** Names of GPUs to choose from: those we ship, those that the service lists, and those seen in answers. */
  get gpuNames(): readonly string[] {
    const { answer } = this;
    const listed = this.options.gpuNames?.() ?? [];
    return this.names.of([answer, listed.join()], () => {
      const seen = (answer?.offers ?? []).map(({ gpuName }) => gpuName).filter((name) => name !== undefined);
      return [...new Set([...knownGpuModels, ...listed, ...seen])];
    });
  }

  /** Machines that failed to get ready, by id. */
  get failedMachines(): ReadonlyMap<number, FailedMachine> {
    return this.failed;
  }

  get view(): OffersView {
    const query = this.effectiveQuery;
    const { words, understood, unread = [] } = this.parse();
    const answer = this.answer;
    const usable = answer !== undefined && answer.query.rentalType === query.rentalType;
    const rows = usable ? this.rowsOf(answer, query, words) : [];
    const isSame = answer !== undefined && this.covers(answer.query, query);
    return {
      rows,
      loaded: answer !== undefined,
      busy: this.asking !== undefined || this.pause.value !== undefined,
      readAt: answer?.readAt,
      error: this.error,
      more: !isSame || answer.whole ? 'none' : this.nextSearch(answer) ? 'fetchable' : 'unreachable',
      read: answer?.offers.length ?? 0,
      skipped: answer?.skipped ?? 0,
      isPartial: answer !== undefined && !answer.whole && (!isSame || words.length > 0),
      orderedHere: answer !== undefined && !answer.whole && answer.query.sort !== query.sort,
      understood,
      words,
      unread,
      waitsUntil: this.waitsUntil,
    };
  }

  /** Searches without delay; called when the list opens. */
  start(): void {
    this.ask(0);
  }

  /** Keeps the filters that a template or workspace added. */
  setQuery(query: MarketQuery): void {
    this.query = { ...query, extraFilters: this.query.extraFilters };
    this.update(0);
  }

  setFailedMachines(machines: readonly FailedMachine[]): void {
    this.failed = new Map(machines.map((machine) => [machine.machineId, machine]));
    this.fire();
  }

  setTyped(line: string): void {
    if (line !== this.typed) {
      this.typed = line;
      this.update(typingPauseMs);
    }
  }

  /** Turns the typed filters into chosen ones, so that the filter levels can change them. What filters nothing stays typed. */
  absorbTyped(): void {
    const { words, understood, unread = [] } = this.parse();
    this.query = this.effectiveQuery;
    this.hasTyped ||= understood.length > 0;
    this.typed = [...words, ...unread.map(({ source }) => source)].join(' ');
  }

  /** Asks the service again, even if the offers at hand would do. */
  refresh(): void {
    this.ask(0);
  }

  /** Fetches the next rows, if the order allows it, as soon as the rate limit does. */
  async more(): Promise<void> {
    if (this.options.budget.waitMs() > 0) {
      this.ask(0, () => void this.sendForMore());
    } else {
      await this.sendForMore();
    }
  }

  private async sendForMore(): Promise<void> {
    const { answer } = this;
    const search = answer && this.nextSearch(answer);
    if (answer && search) {
      await this.run(search, ({ items: offers, skipped }) => {
        const known = new Set(answer.offers.map((offer) => offer.id));
        const added = offers.filter((offer) => !known.has(offer.id));
        return {
          ...answer,
          offers: [...answer.offers, ...added],
          last: offers[offers.length - 1],
          skipped: answer.skipped + skipped,
          // A page with only known rows would otherwise be fetched forever.
          whole: offers.length + skipped < mostRows || added.length === 0,
        };
      });
    }
  }

  dispose(): void {
    this.disposed = true;
    this.pause.dispose();
    this.asking?.abort();
    this.changed.dispose();
  }

  /** Returns the matching offers in order. Cached, because the list is long and read on every keystroke. */
  private rowsOf(answer: Answer, query: MarketQuery, words: readonly string[]): readonly Offer[] {
    const { failed, typed } = this;
    return this.shown.of([answer, this.query, typed, failed], () => {
      const fit = inListOrder(fitting(answer.offers, query, words), query, this.options.credit);
      const hasFailed = ({ machineId }: Offer) => machineId !== undefined && failed.has(machineId);
      return failed.size === 0
        ? fit
        : [...fit.filter((offer) => !hasFailed(offer)), ...fit.filter(hasFailed)];
    });
  }

  private parse(): TypedQuery {
    const { typed: line, gpuNames: names } = this;
    return this.parsed.of([line, names], () => parseTypedQuery(line, names));
  }

  private nextSearch(answer: Answer): OfferSearch | undefined {
    return answer.last && searchAfter(answer.query, answer.last);
  }

  private covers(from: MarketQuery, to: MarketQuery): boolean {
    return from.sort === to.sort && narrows(from, to) && narrows(to, from);
  }

  /** Shows the offers at hand, and asks the service if they are not all. */
  private update(delayMs: number): void {
    const { answer } = this;
    const query = this.effectiveQuery;
    const enough = answer && (answer.whole ? narrows(answer.query, query) : this.covers(answer.query, query));
    if (enough) {
      this.pause.value = undefined;
      this.waitsUntil = undefined;
      this.asking?.abort();
      this.asking = undefined;
      this.fire();
      return;
    }
    this.ask(delayMs);
  }

  private ask(delayMs: number, send = () => this.send()): void {
    const { clock, budget } = this.options;
    const now = clock.now();
    const limitMs = budget.waitMs();
    this.waitsUntil = limitMs > delayMs ? now + limitMs : undefined;
    const waitMs = Math.max(delayMs, limitMs);
    this.asking?.abort();
    this.asking = undefined;
    const begin = () => {
      this.pause.value = undefined;
      this.waitsUntil = undefined;
      send();
    };
    if (waitMs <= 0) {
      begin();
      return;
    }
    this.pause.value = clock.schedule(begin, waitMs);
    this.fire();
  }

  private send(): void {
    const query = this.effectiveQuery;
    void this.run(toOfferSearch(query), ({ items: offers, skipped }) => ({
      query,
      offers,
      last: offers[offers.length - 1],
      skipped,
      whole: offers.length + skipped < mostRows,
      readAt: this.options.clock.now(),
    })).then(() => this.fill(query));
  }

  /**
   * Fetches more rows if the service sent a full page but not all of it matches. It filters interruptible offers by
   * their bid alone, while users filter by the price including the disk.
   */
  private async fill(query: MarketQuery): Promise<void> {
    for (let page = 0; page < mostFillPages; page += 1) {
      const { answer } = this;
      const isCurrent = answer?.query === query && this.asking === undefined && this.error === undefined;
      if (
        !isCurrent ||
        answer.whole ||
        fitting(answer.offers, query).length >= mostRows ||
        this.options.budget.waitMs() > 0
      ) {
        return;
      }
      await this.more();
    }
  }

  /** Never rejects; a failure becomes part of the view. */
  private async run(search: OfferSearch, use: (found: Listing<Offer>) => Answer): Promise<void> {
    this.asking?.abort();
    const own = new AbortController();
    this.asking = own;
    this.options.budget.note();
    this.fire();
    try {
      const found = await this.options.search(search, {
        signal: own.signal,
        onWait: (waitMs) => {
          if (this.asking === own) {
            this.waitsUntil = this.options.clock.now() + waitMs;
            this.fire();
          }
        },
      });
      if (this.asking === own) {
        this.asking = undefined;
        this.waitsUntil = undefined;
        this.error = undefined;
        this.answer = use(found);
      }
    } catch (error) {
      if (this.asking === own) {
        this.asking = undefined;
        this.waitsUntil = undefined;
        this.error = isCancelled(error) ? undefined : error;
      }
    }
    this.fire();
  }

  private fire(): void {
    if (!this.disposed) {
      this.changed.fire(this.view);
    }
  }
}
