import { ForbiddenError, UnauthorizedError } from '../../../api/errors';
import { runCommand } from '../../../editor/commands';
import { offerDamagedFiles } from '../../../editor/damagedFiles';
import { reasonOf, t } from '../../../editor/localize';
import { titleOf } from '../../../editor/titles';
import { stateOf } from '../../../model/instances/instanceState';
import { add, zero, type Micros } from '../../../model/money';
import type { MetricsQuery } from '../../../model/offers/gpuMetrics';
import { toOfferSearch } from '../../../model/offers/marketQuery';
import { metricsFilters } from '../../../model/offers/metricsFilters';
import { quantilesFromOffers } from '../../../model/offers/offerQuantiles';
import { defaultQuery } from '../../../model/offers/savedSearches';
import type { Filters } from '../../../model/offers/searchFields';
import type { RentDraft } from '../../../model/rentals/rentDraft';
import type { Services } from '../../../services';
import { followAccount } from '../../../shared/followAccount';
import { NotSignedInError } from '../../../shared/notSignedIn';
import type { Account } from '../../../store/accounts/accounts';
import { readAuditLog } from '../../../store/accounts/auditLog';
import { isComplete, listedInstances } from '../../../store/instances/listed';
import { MarketHistory } from '../../../store/offers/marketHistory';
import { LastRental } from '../../../store/rentals/lastRental';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { isCancelled } from '../../../util/errors';
import { ActivitySource, type Activity } from './activitySource';
import { EarningsSource } from './earningsSource';
import { MarketSource, type Market, type MarketDeps, type MarketScope } from './marketSource';
import type { PaidByModel } from './marketView';
import { observedCharges } from './observed';
import { PinBoard } from './pinBoard';
import { ReportController, type ReportDeps, type ReportSource } from './reportController';
import { SpendingSource, type Spending } from './spendingSource';

export type ReportsDeps = ReportDeps &
  Pick<
    Services,
    | 'budget'
    | 'failedMachines'
    | 'fleet'
    | 'globalState'
    | 'offerPins'
    | 'oneWindow'
    | 'ownActions'
    | 'searchBudget'
    | 'storageDir'
    | 'work'
  >;

export type ReportId = 'activity' | 'earnings' | 'market' | 'spending';

/** The reports of activity, earnings, the market and spending. */
export class Reports implements Disposable {
  private readonly opened = new Map<
    ReportId,
    Pick<ReportController<unknown>, 'reveal' | 'dispose' | 'draw' | 'refresh' | 'restart'>
  >();
  private readonly store = new DisposableStore();
  private market: MarketSource | undefined;

  constructor(private readonly deps: ReportsDeps) {
    // Figures and choices of one account never show under the name of another.
    this.store.add(followAccount(deps.accounts, () => ({ dispose: () => this.close() })));
    this.store.add(deps.offerPins.onDidChange(() => this.opened.get('market')?.draw()));
  }

  /** Opens a report, or shows the one that is open. Throws `NotSignedInError`. */
  open(id: Exclude<ReportId, 'market'>): void {
    this.account();
    const opened = this.opened.get(id);
    if (opened) {
      opened.reveal();
    } else {
      this.begin(id);
    }
  }

  /** Opens the market page, or shows something else on the one that is open. */
  showMarket(scope: MarketScope): void {
    this.account();
    const opened = this.opened.get('market');
    if (opened && this.market) {
      opened.reveal();
      if (scope === 'pins') {
        // They are part of each page.
        void (this.market.hasOnlyPins && opened.refresh());
      } else if (this.market.show(scope)) {
        void opened.restart();
      }
    } else {
      this.market = new MarketSource(this.marketDeps(), scope);
      this.show('market', this.market);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private marketDeps(): MarketDeps {
    const { deps } = this;
    const board = new PinBoard(deps);
    return {
      readMarket: (query, signal) => readMarket(deps, this.account(), query, signal),
      search: (onWait) => searchInTurn(deps, this.account(), onWait),
      paid: () => paidByModel(deps),
      searchFor: (draft) => void runCommand('gpuRental.searchFor', draft),
      draftOf: (filters) => draftOf(deps, filters),
      redraw: () => this.opened.get('market')?.draw(),
      now: () => deps.clock.now(),
      offerPins: deps.offerPins,
      board,
    };
  }

  private begin(id: Exclude<ReportId, 'market'>): void {
    const { deps } = this;
    const now = () => deps.clock.now();
    switch (id) {
      case 'activity':
        this.show(id, new ActivitySource((signal) => readActivity(deps, this.account(), signal)));
        break;
      case 'earnings':
        this.show(
          id,
          new EarningsSource(
            (query, signal) =>
              this.account().client.earnings.report(this.account().userId, query, { signal }),
            now,
            async (signal) => {
              const answer = await orProblem(this.account().client.machines.list({ signal }));
              return 'items' in answer ? answer.items : [];
            },
          ),
        );
        break;
      case 'spending':
        this.show(
          id,
          new SpendingSource(
            async ({ from, to, listedFrom }, signal) => ({
              ...(await readSpending(deps, this.account(), { from: listedFrom, to }, signal)),
              invoices: await orProblem(this.account().client.invoices.list({ from, to }, { signal })),
              agentInstances: [...(await deps.work.rentedByAgents()).keys()],
            }),
            now,
            () => deps.budget.now,
          ),
        );
        break;
    }
  }

  private show<Data>(id: ReportId, source: ReportSource<Data>): void {
    this.opened.set(id, new ReportController(this.deps, source, () => this.opened.delete(id)));
  }

  private close(): void {
    this.deps.offerPins.clear();
    for (const report of [...this.opened.values()]) {
      report.dispose();
    }
  }

  private account(): Account {
    const { active } = this.deps.accounts;
    if (!active) {
      throw new NotSignedInError();
    }
    return active;
  }
}

/** Returns a search with these filters. */
function draftOf({ globalState }: ReportsDeps, filters: Filters): RentDraft {
  return {
    title: titleOf('gpuRental.searchOffers'),
    query: {
      ...defaultQuery,
      diskGb: new LastRental(globalState).diskGb ?? defaultQuery.diskGb,
      // As in every search, unless the user wants others.
      filters: { external: false, ...filters },
    },
  };
}

/** Returns a search that waits until the limit allows it. */
function searchInTurn(
  { searchBudget }: ReportsDeps,
  { client }: Account,
  onWait: (waits: boolean) => void,
): Account['client']['offers']['search'] {
  return async (search, options = {}) => {
    const { signal = new AbortController().signal } = options;
    await searchBudget.turn(signal, () => onWait(true));
    onWait(false);
    return client.offers.search(search, options);
  };
}

/** Reads the service's market figures. For accounts without a machine it computes quantiles from current offers. */
async function readMarket(
  deps: ReportsDeps,
  account: Account,
  query: MetricsQuery,
  signal: AbortSignal,
): Promise<Market> {
  const market = await readPrices(deps, account, query, signal);
  const key = [account.serviceUrl, market.fromOffers, query.verified, query.hostingType, query.gpuCount].join(
    ' ',
  );
  const { snapshots, problem, setAside } = await new MarketHistory(deps).record(key, market.gpus);
  offerDamagedFiles(deps.oneWindow, 'market', setAside === undefined ? [] : [setAside], {
    effect: t('The price history of earlier days is missing.'),
  });
  return { ...market, history: snapshots, historyProblem: problem };
}

async function readPrices(
  deps: ReportsDeps,
  { client }: Account,
  query: MetricsQuery,
  signal: AbortSignal,
): Promise<Omit<Market, 'history' | 'historyProblem'>> {
  const answer = await client.metrics.gpus(query, { signal });
  if (!answer.needsMachine) {
    return { gpus: answer.gpus, skipped: answer.skipped, fromOffers: false };
  }
  deps.searchBudget.note();
  const draft = draftOf(deps, metricsFilters(query));
  const { items: offers, skipped } = await client.offers.search(toOfferSearch(draft.query), { signal });
  const listed = { draft, offers, readAt: deps.clock.now() };
  return { gpus: quantilesFromOffers(offers), skipped, fromOffers: true, listed };
}

/** Returns the average price per GPU and hour of the running instances, by model. */
function paidByModel({ fleet, clock }: ReportsDeps): PaidByModel {
  const sums = new Map<string, { readonly total: Micros; readonly gpus: number }>();
  const instances = fleet.state.kind === 'ready' ? fleet.state.value.instances : [];
  for (const instance of instances) {
    const { gpuName, gpuCount, totalPerHour } = instance;
    const runs = stateOf(instance, fleet.facts(instance.id), clock.now()) === 'running';
    if (
      runs &&
      gpuName !== undefined &&
      totalPerHour !== undefined &&
      gpuCount !== undefined &&
      gpuCount > 0
    ) {
      const before = sums.get(gpuName) ?? { total: zero, gpus: 0 };
      sums.set(gpuName, { total: add(before.total, totalPerHour), gpus: before.gpus + gpuCount });
    }
  }
  return new Map([...sums].map(([name, { total, gpus }]) => [name, Math.ceil(total / gpus) as Micros]));
}

/**
 * Reads the service's list of charges. If the key may not read it, returns an estimate, which the report labels as
 * one.
 */
async function readSpending(
  deps: ReportsDeps,
  account: Account,
  range: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Omit<Spending, 'agentInstances' | 'invoices'>> {
  try {
    const { items: charges, ...rest } = await account.client.charges.list(range, { signal });
    return { charges, ...rest, origin: 'service' };
  } catch (error) {
    if (!isDenied(error)) {
      throw error;
    }
    // Rejects if the instances can't be read either, because that does not mean that none cost money.
    const instances = await listedInstances(deps.fleet);
    const { fleet } = deps;
    const { past } = deps.work;
    await past?.ready;
    const { charges, isWhole } = observedCharges(instances, past?.rows ?? [], deps.clock.now());
    const isListed = fleet.state.kind === 'ready' && isComplete(fleet.state.value);
    const isAll = isWhole && isListed && past?.error === undefined;
    return { charges, skipped: 0, isComplete: isAll, origin: 'observed' };
  }
}

/** Reads both lists of what changed the account. What this computer did needs no permission, and the other may. */
async function readActivity(
  { ownActions }: ReportsDeps,
  account: Account,
  signal: AbortSignal,
): Promise<Activity> {
  return {
    service: await orProblem(readAuditLog(account, { signal }), isDenied),
    own: await orProblem(ownActions.read(account.key)),
  };
}

function isDenied(error: unknown): boolean {
  return error instanceof ForbiddenError || error instanceof UnauthorizedError;
}

/** The rest of a report is of use without this part, so a failure becomes a part of the result. */
async function orProblem<T>(
  reading: Promise<T>,
  isPart: (error: unknown) => boolean = () => true,
): Promise<T | { readonly problem: string }> {
  try {
    return await reading;
  } catch (error) {
    const problem = reasonOf(error);
    if (problem === undefined || isCancelled(error) || !isPart(error)) {
      throw error;
    }
    return { problem };
  }
}
