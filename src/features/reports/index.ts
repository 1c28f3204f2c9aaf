import { runCommand } from '../../editor/commands';
import type { Charge } from '../../model/charge';
import type { MetricsQuery } from '../../model/gpuMetrics';
import { stateOf } from '../../model/instanceState';
import { add, zero, type Micros } from '../../model/money';
import { quantilesFromOffers } from '../../model/offerQuantiles';
import { ForbiddenError, UnauthorizedError } from '../../api/errors';
import type { Services } from '../../services';
import { NotSignedInError } from '../../store/accounts';
import { MarketHistory } from '../../store/marketHistory';
import type { Account } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { EarningsSource } from './earningsSource';
import { MarketSource, type Market } from './marketSource';
import type { PaidByModel } from './marketView';
import { ReportController, type ReportDeps } from './reportController';
import { observedCharges } from './observed';
import { SpendingSource, type Spending } from './spendingSource';

type Deps = ReportDeps & Pick<Services, 'fleet' | 'storageDir'>;

/** The reports: earnings of hosts, the GPU market, and what the account paid for. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const now = () => deps.clock.now();
  const account = (): Account => {
    if (!deps.accounts.active) {
      throw new NotSignedInError();
    }
    return deps.accounts.active;
  };
  const earnings = new EarningsSource(
    (query, signal) => account().client.earnings.report(account().userId, query, { signal }),
    now,
  );
  const market = new MarketSource(
    (query, signal) => readMarket(deps, account(), query, signal),
    () => paidByModel(deps),
    (gpuName) => void runCommand('gpuRental.searchOffers', { gpuName }),
  );
  const spending = new SpendingSource((range, signal) => readSpending(deps, account(), range, signal), now);
  const open = <Data>(controller: ReportController<Data>) => {
    store.add(controller);
    // Another account's figures are never shown under this one's name.
    let shownFor = deps.accounts.active?.key;
    store.add(
      deps.accounts.onDidChange(() => {
        if (deps.accounts.active?.key !== shownFor) {
          shownFor = deps.accounts.active?.key;
          controller.dispose();
        }
      }),
    );
    return () => {
      account();
      controller.open();
    };
  };
  store.add(deps.commands.register('gpuRental.earnings.show', open(new ReportController(deps, earnings))));
  store.add(deps.commands.register('gpuRental.market.show', open(new ReportController(deps, market))));
  store.add(deps.commands.register('gpuRental.spending.show', open(new ReportController(deps, spending))));
  return store;
}

/** The service's figures; for accounts without a machine quantiles of the offers that can be searched. */
async function readMarket(
  deps: Deps,
  account: Account,
  query: MetricsQuery,
  signal: AbortSignal,
): Promise<Market> {
  const market = await readPrices(account, query, signal);
  const key = [account.serviceUrl, market.fromOffers, query.verified, query.hostingType, query.gpuCount].join(
    ' ',
  );
  const history = await new MarketHistory(deps.storageDir, deps.log).record(
    key,
    market.gpus,
    deps.clock.now(),
  );
  return { ...market, history };
}

async function readPrices(
  { client }: Account,
  query: MetricsQuery,
  signal: AbortSignal,
): Promise<Omit<Market, 'history'>> {
  const answer = await client.metrics.gpus(query, { signal });
  if (!answer.needsMachine) {
    return { gpus: answer.gpus, skipped: answer.skipped, fromOffers: false };
  }
  const { items, skipped } = await client.offers.search(
    {
      filters: {
        rentable: { eq: true },
        ...(query.verified === 'all' ? {} : { verified: { eq: query.verified === 'yes' } }),
        ...(query.hostingType === 'all' ? {} : { datacenter: { eq: query.hostingType === 'secure_cloud' } }),
        ...(query.gpuCount === 'all' ? {} : { num_gpus: { eq: Number(query.gpuCount) } }),
      },
      rentalType: 'on-demand',
      order: [['score', 'desc']],
      limit: 64,
    },
    { signal },
  );
  return { gpus: quantilesFromOffers(items), skipped, fromOffers: true };
}

/** The mean price of one GPU and hour over what runs now, by model. */
function paidByModel({ fleet, clock }: Deps): PaidByModel {
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

/** The service's list where the key may read it, else an estimate, and the report says which. */
async function readSpending(
  deps: Deps,
  account: Account,
  range: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Spending> {
  try {
    const { items, skipped } = await account.client.charges.list(range, { signal });
    return { charges: items, skipped, origin: 'service' };
  } catch (error) {
    if (!(error instanceof ForbiddenError) && !(error instanceof UnauthorizedError)) {
      throw error;
    }
    const instances = deps.fleet.state.kind === 'ready' ? deps.fleet.state.value.instances : [];
    const charges: readonly Charge[] = observedCharges(instances, range, deps.clock.now());
    return { charges, skipped: 0, origin: 'observed' };
  }
}
