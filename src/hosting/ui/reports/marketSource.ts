import type { Client } from '../../../api/client';
import { runCommand } from '../../../editor/commands';
import { localize, t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { labelOf } from '../../../editor/titles';
import { toDollars } from '../../../model/money';
import { describeQuery } from '../../../model/offers/filterText';
import type { GpuMetrics, MetricsQuery } from '../../../model/offers/gpuMetrics';
import { inListOrder } from '../../../model/offers/localFilter';
import { toOfferSearch } from '../../../model/offers/marketQuery';
import { metricsFilters } from '../../../model/offers/metricsFilters';
import { fitting } from '../../../model/offers/offerMatch';
import { quantilesFromOffers } from '../../../model/offers/offerQuantiles';
import type { Filters } from '../../../model/offers/searchFields';
import type { ListedOffers, RentDraft } from '../../../model/rentals/rentDraft';
import { mostPins, type OfferPins } from '../../../store/offers/offerPins';
import type { Text } from '../../../util/text';
import { withDollarNames } from './exports';
import { historySections, marketSections, type MarketDay, type PaidByModel } from './marketView';
import { reportNotice } from './notice';
import { offersSection } from './offersView';
import type { PinBoard } from './pinBoard';
import type { ReportSource } from './reportController';

const priceFields = [
  ...['priceP10', 'priceP25', 'priceMedian', 'priceP75', 'priceP90'],
  ...['gpuPerHour', 'totalPerHour', 'minBidPerHour', 'storagePerGbMonth', 'inetUpPerGb', 'inetDownPerGb'],
];

export interface Market {
  readonly gpus: readonly GpuMetrics[];
  readonly skipped: number;
  /** Medians of earlier days, as seen on this computer, oldest first. */
  readonly history: readonly MarketDay[];
  /** Why earlier days could not be read, or today's medians were not kept. */
  readonly historyProblem?: Text | undefined;
  /** The offers that the figures come from, and the search for them. */
  readonly listed?: ListedOffers | undefined;
  /**
   * True if the figures were computed from the offers that a search returns. The service shows its own figures only
   * to hosts.
   */
  readonly fromOffers: boolean;
}

export interface MarketDeps {
  readMarket(query: MetricsQuery, signal: AbortSignal): Promise<Market>;
  /** Searches once the limit of searches allows it; `onWait` is called if it has to wait. */
  search(onWait: (waits: boolean) => void): Client['offers']['search'];
  paid(): PaidByModel;
  searchFor(draft: RentDraft): void;
  /** Returns the search for a model among the machines that figures are of. */
  draftOf(filters: Filters): RentDraft;
  redraw(): void;
  now(): number;
  readonly offerPins: OfferPins;
  readonly board: PinBoard;
}

/** What the page is about: offers of the list, or only the pinned ones; undefined for the whole market. */
export type MarketScope = ListedOffers | 'pins' | undefined;

/** Prices, supply and value of the GPU models on the market. */
export class MarketSource implements ReportSource<Market> {
  readonly id = 'market';
  readonly title = t('GPU Market');
  private query: MetricsQuery = { verified: 'yes', hostingType: 'all', gpuCount: 'all' };
  /** True until the page has shown what it was opened with. */
  private isFirst = true;
  private isWaiting = false;
  private shown: Market | undefined;

  constructor(
    private readonly deps: MarketDeps,
    private scope: MarketScope,
  ) {}

  /** Shows something else; returns false if that is shown already. */
  show(scope: MarketScope): boolean {
    const isOther = scope !== this.scope;
    this.isFirst ||= isOther;
    this.scope = scope;
    return isOther;
  }

  get hasOnlyPins(): boolean {
    return this.scope === 'pins';
  }

  subtitle(): string {
    const { scope } = this;
    if (scope === 'pins') {
      return t('“Rent…” opens the steps of a rental. Nothing is rented until you confirm it there.');
    }
    if (scope) {
      return `${describeQuery(scope.draft.query).map(localize).join(' · ')}.`;
    }
    return t(
      'Prices are for one GPU per hour, in US dollars. The box holds half of them (p25–p75), the line four in five (p10–p90); the upright mark is the median, and a diamond is what you pay now.',
    );
  }

  filters() {
    return this.scope === undefined ? this.marketFilters() : [];
  }

  private marketFilters() {
    const { verified, hostingType, gpuCount } = this.query;
    return [
      {
        id: 'verified',
        label: t('Machines'),
        value: verified,
        options: [
          { value: 'yes', label: t('Verified') },
          { value: 'no', label: t('Not verified') },
          { value: 'all', label: t('All') },
        ],
      },
      {
        id: 'hostingType',
        label: t('Hosts'),
        value: hostingType,
        options: [
          { value: 'all', label: t('All') },
          { value: 'secure_cloud', label: t('Data centers') },
          { value: 'community', label: t('Community') },
        ],
      },
      {
        id: 'gpuCount',
        label: t('GPUs per machine'),
        value: gpuCount,
        options: ['all', '1', '2', '4', '8'].map((value) => ({
          value,
          label: value === 'all' ? t('All') : value,
        })),
      },
    ];
  }

  setFilter(id: string, value: string): boolean {
    const filter = this.marketFilters().find((candidate) => candidate.id === id);
    if (!filter?.options.some((option) => option.value === value)) {
      return false;
    }
    this.query = { ...this.query, [id]: value };
    return true;
  }

  buttons() {
    return this.scope === undefined ? [] : [{ id: 'search', label: labelOf('gpuRental.searchOffers') }];
  }

  press(id: string): void {
    const [, action, number] = /^(rent|pin|unpin):(\d+)$/.exec(id) ?? [];
    const pinned = this.deps.offerPins.find(Number(number));
    if (action === 'rent' && pinned) {
      this.deps.searchFor({ ...pinned.origin, offer: pinned.offer });
    } else if (action === 'unpin') {
      this.deps.offerPins.unpin(Number(number));
    } else if (action === 'pin') {
      this.pin(Number(number));
    } else if (id === 'search' && typeof this.scope === 'object') {
      this.deps.searchFor(this.scope.draft);
    } else if (id === 'search') {
      void runCommand('gpuRental.searchOffers');
    }
  }

  private pin(id: number): void {
    const listed = this.shown?.listed;
    const offer = listed?.offers.find((one) => one.id === id);
    if (listed && offer && !this.deps.offerPins.pin({ offer, origin: listed.draft })) {
      message('info', t('You can pin at most {0} offers. Unpin one first.', mostPins));
    }
  }

  /** Returns offers of the list without a request when the page opens with them, and reads them again later. */
  async read(signal: AbortSignal): Promise<Market> {
    const { scope, deps, isFirst } = this;
    const search = deps.search((waits) => {
      if (waits !== this.isWaiting) {
        this.isWaiting = waits;
        deps.redraw();
      }
    });
    // The offers of the list are as it read them; what else may be pinned is older.
    const isRead = isFirst && (scope === undefined || (scope !== 'pins' && scope.readAt !== undefined));
    if (!isRead) {
      await deps.board.recheck(search, signal);
    }
    const market = await this.readScope(isRead, search, signal);
    this.isFirst = false;
    return market;
  }

  private async readScope(
    isRead: boolean,
    search: Client['offers']['search'],
    signal: AbortSignal,
  ): Promise<Market> {
    const { scope, deps } = this;
    if (scope === undefined) {
      return deps.readMarket(this.query, signal);
    }
    if (scope === 'pins' || isRead) {
      return marketOf(scope === 'pins' ? undefined : scope, 0);
    }
    const { query } = scope.draft;
    const { items, skipped } = await search(toOfferSearch(query), { signal });
    return marketOf(
      { ...scope, offers: inListOrder(fitting(items, query), query), readAt: deps.now() },
      skipped,
    );
  }

  readAt({ listed }: Market): number {
    return listed?.readAt ?? this.deps.now();
  }

  waitsFor(): string | undefined {
    return this.isWaiting ? t('The service allows only a few searches per minute. Waiting…') : undefined;
  }

  draw(market: Market) {
    this.shown = market;
    const notices = [
      ...(market.fromOffers && this.scope === undefined
        ? [
            reportNotice(
              'info',
              t(
                'The service shows its market figures only to accounts that host a machine. These prices come from the offers shown, {0} in all, and leave out rented machines.',
                market.listed?.offers.length ?? 0,
              ),
            ),
          ]
        : []),
      ...(this.scope === 'pins' && this.deps.offerPins.pins.length === 0
        ? [
            reportNotice(
              'info',
              t('No offer is pinned. Pin two to four in the list of offers to compare them here.'),
            ),
          ]
        : []),
      ...(market.gpus.length === 0 && this.scope !== 'pins'
        ? [reportNotice('info', t('No GPU matches these filters.'))]
        : []),
      ...(market.skipped > 0
        ? [
            reportNotice(
              'warning',
              t('Could not be read and are left out: {0}. The log names the field.', market.skipped),
            ),
          ]
        : []),
      ...(market.historyProblem ? [reportNotice('warning', localize(market.historyProblem))] : []),
    ];
    const { listed } = market;
    const { board, offerPins } = this.deps;
    const paid = this.deps.paid();
    return {
      tiles: [],
      comparison: board.comparison,
      sections: [
        ...(listed
          ? [
              offersSection(
                listed.offers,
                listed.draft.query,
                (id) => offerPins.find(id) !== undefined,
                localize,
              ),
            ]
          : []),
        ...(this.scope === 'pins' ? [] : marketSections(market.gpus, paid, localize, listed?.offers.length)),
        ...historySections(market.history, paid, localize),
      ],
      notices,
    };
  }

  json(market: Market): unknown {
    const history = market.history.map(({ medians, ...rest }) => ({
      ...rest,
      mediansDollars: Object.fromEntries(
        Object.entries(medians).map(([name, median]) => [name, toDollars(median)]),
      ),
    }));
    const { gpus, skipped, fromOffers, listed } = market;
    const offers = listed?.offers ?? [];
    return { ...withDollarNames({ gpus, skipped, fromOffers, offers }, priceFields), history };
  }

  openRow(section: string, row: string): void {
    const { scope, deps } = this;
    const listed = this.shown?.listed;
    const offer = section === 'offers' ? listed?.offers.find(({ id }) => String(id) === row) : undefined;
    if (listed && offer) {
      deps.searchFor({ ...listed.draft, offer });
    } else if (section !== 'offers') {
      const gpu = { oneOf: [row] };
      deps.searchFor(
        typeof scope === 'object'
          ? {
              ...scope.draft,
              query: { ...scope.draft.query, filters: { ...scope.draft.query.filters, gpu } },
            }
          : deps.draftOf({ ...metricsFilters(this.query), gpu }),
      );
    }
  }
}

function marketOf(listed: ListedOffers | undefined, skipped: number): Market {
  return { gpus: quantilesFromOffers(listed?.offers ?? []), skipped, history: [], fromOffers: true, listed };
}
