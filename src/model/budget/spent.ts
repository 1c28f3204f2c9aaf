import type { Instance } from '../instances/instance';
import { billingOf, stateOf, type InstanceFacts } from '../instances/instanceState';
import { add, hoursPerMonth, roundUp, zero, type Micros } from '../money';
import { hourlyRate, noRate, runningRateOf, stoppedRateOf, type Rate } from '../quote';
import type { Volume } from '../volume';
import type { Ledger } from './ledger';
import { stretchOf, type Period } from './period';

/** Something that costs money now, with the name that its charges use. */
export interface CostSource {
  readonly name: string;
  /** When it was rented, in Unix seconds. */
  readonly since?: number | undefined;
  /** The current cost; undefined if the service does not report it. */
  readonly rate: Rate | undefined;
  /** The least cost, running or stopped. */
  readonly stoppedRate: Rate;
  /** For how many seconds it has certainly run without a break. */
  readonly runsFor: number;
  /** For a machine that stopped after its last charge: what it cost until then. */
  readonly ran?: { readonly until: number; readonly rate: Rate } | undefined;
}

export interface Spent {
  /** Charges plus the estimated cost since then. */
  readonly amount: Micros;
  /** The amount that was certainly spent, for actions that must not happen too early. */
  readonly least: Micros;
  /** True if a charge or price is missing, so that the amount may be higher. */
  readonly isAtLeast: boolean;
}

/**
 * Returns what an account has spent in the current day or month. `at` is now in Unix seconds, by the service's clock.
 */
export function spentIn(period: Period, ledger: Ledger, sources: readonly CostSource[], at: number): Spent {
  const span = stretchOf(period, at);
  const isPresent = ledger[period].from === span.from;
  const charged = isPresent ? ledger[period] : { amount: zero, least: zero };
  const until = new Map(ledger.chargedUntil);
  // A source may be charged under another name, so only time after the last of all charges is certain.
  const lastCharge = Math.max(...until.values(), -Infinity);
  const open = sources.map((source) => ({
    amount: sinceCharge(source, until.get(source.name), span.from, at, ledger.isWhole),
    least: leastSince(source, Math.max(lastCharge, span.from), at),
  }));
  return {
    amount: add(charged.amount, ...open.map(({ amount }) => amount)),
    least: add(charged.least, ...open.map(({ least }) => least)),
    isAtLeast: !ledger.isWhole || sources.some(({ rate }) => rate === undefined),
  };
}

function sinceCharge(
  source: CostSource,
  charged: number | undefined,
  from: number,
  at: number,
  isWhole: boolean,
): Micros {
  const { rate = noRate, ran, since } = source;
  if (!isWhole) {
    // Without charges of its own, nothing proves that it ran all the time.
    return leastSince(source, Math.max(charged ?? from, from), at);
  }
  const begin = Math.max(charged ?? since ?? at - source.runsFor, from);
  const ranUntil = ran === undefined ? begin : Math.min(Math.max(ran.until, begin), at);
  return add(cost(ran?.rate ?? noRate, ranUntil - begin), cost(rate, at - Math.max(begin, ranUntil)));
}

function leastSince({ rate, stoppedRate, since, runsFor }: CostSource, from: number, at: number): Micros {
  const seconds = Math.max(0, at - Math.max(from, since ?? at - runsFor));
  const running = Math.min(seconds, runsFor);
  const sum = (rate ?? noRate) * running + Math.min(stoppedRate, rate ?? stoppedRate) * (seconds - running);
  return Math.floor(sum / secondsPerRate) as Micros;
}

const secondsPerRate = hoursPerMonth * 3600;

function cost(rate: Rate, seconds: number): Micros {
  return roundUp((rate * Math.max(0, seconds)) / secondsPerRate) as Micros;
}

/** `nowMs` is this computer's time, which our requests are recorded with; `at` is the service's time. */
export function instanceSource(
  instance: Instance,
  facts: InstanceFacts,
  nowMs: number,
  at = nowMs / 1000,
): CostSource {
  const full = runningRateOf(instance);
  const stopped = stoppedRateOf(instance);
  const isRunning = billingOf(instance, stateOf(instance, facts, nowMs)) === 'running';
  const stop = facts.lastRequest?.kind === 'stop' ? at - (nowMs - facts.lastRequest.at) / 1000 : undefined;
  return {
    name: `instance-${instance.id}`,
    since: instance.startedAt,
    rate: isRunning ? full : (stopped ?? full),
    stoppedRate: stopped ?? noRate,
    runsFor: instance.actualStatus === 'running' ? (instance.uptimeMinutes ?? 0) * 60 : 0,
    ran: isRunning || stop === undefined || full === undefined ? undefined : { until: stop, rate: full },
  };
}

export function volumeSource({ id, perHour, createdAt }: Volume): CostSource {
  const rate = perHour === undefined ? undefined : hourlyRate(perHour);
  return { name: `volume-${id}`, since: createdAt, rate, stoppedRate: rate ?? noRate, runsFor: 0 };
}

/** A source that is no longer listed but whose last hours may not be charged yet. `until` is in Unix seconds. */
export function goneSource(source: CostSource, until: number): CostSource {
  const ran = source.rate === undefined ? undefined : { until, rate: source.rate };
  return { ...source, rate: noRate, stoppedRate: noRate, runsFor: 0, ran };
}

/**
 * Adds until when the source ran, as seen by this window, because the time of our own stop depends on a clock that
 * may have been set since. `at` is now in Unix seconds, by the service's clock.
 */
export function seenSource(source: CostSource, before: CostSource | undefined, at: number): CostSource {
  const [rate, rateBefore] = [source.rate ?? noRate, before?.rate ?? noRate];
  if (before === undefined || rate > rateBefore) {
    return source;
  }
  return { ...source, ran: rate < rateBefore ? { until: at, rate: rateBefore } : before.ran };
}
