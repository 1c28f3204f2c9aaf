import { localize, t } from '../../../editor/localize';
import { toDollars } from '../../../model/money';
import type { GpuMetrics, MetricsQuery } from '../../../model/offers/gpuMetrics';
import { mostRows } from '../../../model/offers/marketQuery';
import type { Text } from '../../../util/text';
import { withDollarNames } from './exports';
import { historySections, marketSections, type MarketDay, type PaidByModel } from './marketView';
import { reportNotice } from './notice';
import type { ReportSource } from './reportController';

const priceFields = ['priceP10', 'priceP25', 'priceMedian', 'priceP75', 'priceP90'];

export interface Market {
  readonly gpus: readonly GpuMetrics[];
  readonly skipped: number;
  /** Medians of earlier days, as seen on this computer, oldest first. */
  readonly history: readonly MarketDay[];
  /** Why earlier days are missing, or today's medians were not kept. */
  readonly historyProblem?: Text | undefined;
  /**
   * True if the figures were computed from the offers that a search returns. The service shows its own figures only
   * to hosts.
   */
  readonly fromOffers: boolean;
}

export type ReadMarket = (query: MetricsQuery, signal: AbortSignal) => Promise<Market>;

/** Prices, supply and value of the GPU models on the market. */
export class MarketSource implements ReportSource<Market> {
  readonly id = 'market';
  readonly title = t('GPU Market');
  private query: MetricsQuery = { verified: 'yes', hostingType: 'all', gpuCount: 'all' };

  constructor(
    private readonly readMarket: ReadMarket,
    private readonly paid: () => PaidByModel,
    private readonly searchFor: (gpuName: string, query: MetricsQuery) => void,
  ) {}

  subtitle(): string {
    return t(
      'Prices are for one GPU per hour, in US dollars. The box holds half of them (p25–p75), the line four in five (p10–p90); the upright mark is the median, and a diamond is what you pay now.',
    );
  }

  filters() {
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
    const filter = this.filters().find((candidate) => candidate.id === id);
    if (!filter?.options.some((option) => option.value === value)) {
      return false;
    }
    this.query = { ...this.query, [id]: value };
    return true;
  }

  buttons() {
    return [];
  }

  read(signal: AbortSignal): Promise<Market> {
    return this.readMarket(this.query, signal);
  }

  draw(market: Market) {
    const notices = [
      ...(market.fromOffers
        ? [
            reportNotice(
              'info',
              t(
                'The service shows its market figures only to accounts that host a machine. These prices come from at most {0} current offers and leave out rented machines.',
                mostRows,
              ),
            ),
          ]
        : []),
      ...(market.gpus.length === 0 ? [reportNotice('info', t('No GPU matches these filters.'))] : []),
      ...(market.skipped > 0
        ? [
            reportNotice(
              'warning',
              t('GPU models left out because their figures could not be read: {0}.', market.skipped),
            ),
          ]
        : []),
      ...(market.historyProblem ? [reportNotice('warning', localize(market.historyProblem))] : []),
    ];
    const paid = this.paid();
    return {
      tiles: [],
      sections: [
        ...marketSections(market.gpus, paid, localize),
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
    const { gpus, skipped, fromOffers } = market;
    return { ...withDollarNames({ gpus, skipped, fromOffers }, priceFields), history };
  }

  openRow(_section: string, row: string): void {
    this.searchFor(row, this.query);
  }
}
