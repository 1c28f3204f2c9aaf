import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { whileReadingInstances } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { formatMoney, fromDollars } from '../../model/money';
import { noRate, perHour, runningRateOf, sumRates } from '../../model/quote';
import { burnSoon } from '../../store/instances/burn';
import { isCurrent } from '../../store/instances/listed';
import type { LifecycleDeps } from './deps';

/** Returns true if the user's price limit for all running instances allows a start, or if the user confirms the excess. */
export async function confirmOverLimit(
  deps: LifecycleDeps,
  instances: readonly Instance[],
): Promise<boolean> {
  const limit = deps.settings.get('gpuRental.rent.limitPerHour');
  if (limit <= 0) {
    return true;
  }
  await readAll(deps);
  const detail = excess(deps, instances, limit);
  return (
    detail === undefined ||
    confirm({ message: t('Start over your price limit?'), detail, button: t('Start Anyway') })
  );
}

/** Returns what the user must know before a start, or undefined if all instances stay within the limit (in dollars). */
function excess(deps: LifecycleDeps, instances: readonly Instance[], limit: number): string | undefined {
  const others = burnSoon(
    deps,
    instances.map(({ id }) => id),
  );
  const rates = instances.map(runningRateOf);
  const total = perHour(sumRates(others.rate, ...rates.map((rate) => rate ?? noRate)));
  const most = formatMoney(fromDollars(limit));
  if (total > fromDollars(limit)) {
    return t('Once started, all your instances cost {0}/h. Your limit is {1}/h.', formatMoney(total), most);
  }
  return others.isPartial || rates.includes(undefined)
    ? t('The price of some running instances is unknown, so you may exceed your limit of {0}/h.', most)
    : undefined;
}

/** Reads an outdated list, because the limit is for all instances. */
async function readAll({ fleet, clock, log }: LifecycleDeps): Promise<void> {
  if (!isCurrent(fleet.state, clock.now())) {
    await whileReadingInstances(fleet.refresh()).catch((error: unknown) => {
      log.warn(`The instances could not be read before a start: ${String(error)}`);
    });
  }
}
