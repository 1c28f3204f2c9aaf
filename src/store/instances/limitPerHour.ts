import { fromDollars, type Micros } from '../../model/money';
import { noRate, perHour, sumRates, type Rate } from '../../model/quote';
import type { Log } from '../../util/log';
import { burnSoon, type BurnSoonDeps } from './burn';
import type { Fleet } from './fleetStore';
import { isCurrent } from './listed';

export interface LimitDeps extends BurnSoonDeps {
  readonly fleet: Fleet;
  readonly settings: { get(key: 'gpuRental.rent.limitPerHour'): number };
  readonly log: Pick<Log, 'warn'>;
}

/** The user's limit for all instances where a change may lead over it. */
export interface OverHourlyLimit {
  readonly limit: Micros;
  /** What all instances will cost, undefined if that is unknown and may be more than the limit. */
  readonly total?: Micros;
}

/**
 * Returns undefined if all instances surely stay within the limit when those with the ids `changed` cost what `ratesNow`
 * returns, where undefined is an unknown price. Reads an outdated list first, because the limit is for all of them.
 */
export async function overHourlyLimit(
  deps: LimitDeps,
  changed: readonly number[],
  ratesNow: () => readonly (Rate | undefined)[],
  whileReading: (work: Promise<void>) => Promise<void>,
): Promise<OverHourlyLimit | undefined> {
  const { fleet, clock, settings, log } = deps;
  const dollars = settings.get('gpuRental.rent.limitPerHour');
  if (dollars <= 0) {
    return undefined;
  }
  if (!isCurrent(fleet.state, clock.now())) {
    await whileReading(fleet.refresh()).catch((error: unknown) => {
      log.warn(`The instances could not be compared with the price limit: ${String(error)}`);
    });
  }
  const limit = fromDollars(dollars);
  const rates = ratesNow();
  const others = burnSoon(deps, changed);
  const total = perHour(sumRates(others.rate, ...rates.map((rate) => rate ?? noRate)));
  if (total > limit) {
    return { limit, total };
  }
  return others.isPartial || rates.includes(undefined) ? { limit } : undefined;
}
