import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { formatMoney, fromDollars, type Micros } from '../../model/money';
import {
  hourlyRate,
  noRate,
  perHour,
  runningRateOf,
  stoppedRateOf,
  sumRates,
  type Rate,
} from '../../model/quote';
import { burnSoon } from '../../store/instances/burn';
import { isCurrent } from '../../store/instances/listed';
import type { LifecycleDeps } from './deps';

interface Excess {
  /** Names the cost of all instances and the limit. */
  readonly sentence: (total: string, most: string) => string;
  readonly message: string;
  readonly button: string;
}

/** Returns true if the user's price limit for all running instances allows a start, or if the user confirms the excess. */
export function confirmStartOverLimit(deps: LifecycleDeps, instances: readonly Instance[]): Promise<boolean> {
  return confirmOverLimit(deps, instances, instances.map(runningRateOf), {
    sentence: (total, most) =>
      t('Once started, all your instances cost {0}/h. Your limit is {1}/h.', total, most),
    message: t('Start over your price limit?'),
    button: t('Start Anyway'),
  });
}

/** The same for a higher bid: at a bid that wins, a paused instance starts again, and a running one costs more. */
export async function confirmBidOverLimit(
  deps: LifecycleDeps,
  instance: Instance,
  bid: Micros,
): Promise<boolean> {
  const { bidPerHour } = instance;
  if (bidPerHour !== undefined && bid <= bidPerHour) {
    return true;
  }
  return confirmOverLimit(deps, [instance], [hourlyRate(bid), stoppedRateOf(instance)], {
    sentence: (total, most) =>
      t('With this bid, all your instances cost up to {0}/h. Your limit is {1}/h.', total, most),
    message: t('Bid over your price limit?'),
    button: t('Bid Anyway'),
  });
}

/** `rates`: what the instances will cost together, `undefined` for an unknown price. */
async function confirmOverLimit(
  deps: LifecycleDeps,
  instances: readonly Instance[],
  rates: readonly (Rate | undefined)[],
  { sentence, ...question }: Excess,
): Promise<boolean> {
  const limit = deps.settings.get('gpuRental.rent.limitPerHour');
  if (limit <= 0) {
    return true;
  }
  await readAll(deps);
  const others = burnSoon(
    deps,
    instances.map(({ id }) => id),
  );
  const total = perHour(sumRates(others.rate, ...rates.map((rate) => rate ?? noRate)));
  const most = formatMoney(fromDollars(limit));
  if (total > fromDollars(limit)) {
    return confirm({ ...question, detail: sentence(formatMoney(total), most) });
  }
  const detail = t(
    'The price of some running instances is unknown, so you may exceed your limit of {0}/h.',
    most,
  );
  return !(others.isPartial || rates.includes(undefined)) || confirm({ ...question, detail });
}

/** Reads an outdated list, because the limit is for all instances. */
async function readAll({ fleet, clock, log }: LifecycleDeps): Promise<void> {
  if (!isCurrent(fleet.state, clock.now())) {
    await whileReadingInstances(fleet.refresh()).catch((error: unknown) => {
      log.warn(`The instances could not be compared with the price limit: ${String(error)}`);
    });
  }
}
