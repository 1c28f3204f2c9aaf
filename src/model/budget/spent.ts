import type { Instance } from '../instances/instance';
import { billingOf, stateOf, type InstanceFacts } from '../instances/instanceState';
import { add, hoursPerMonth, roundUp, zero, type Micros } from '../money';
import { hourlyRate, noRate, runningRateOf, stoppedRateOf, type Rate } from '../quote';
import type { Volume } from '../volume';
import type { Ledger } from './ledger';
import { stretchOf, type Period } from './period';

/** Something that costs money now, by the name that its charges have. */
export interface CostSource {
  readonly name: string;
  /** When it was rented, in Unix seconds. */
  readonly since?: number | undefined;
  /** What it costs now; undefined where the service does not say. */
  readonly rate: Rate | undefined;
  /** What it costs at least, whether it runs or not. */
  readonly stoppedRate: Rate;
  /** For how many seconds it has certainly run without a break. */
  readonly runsFor: number;
  /** A machine that was stopped since its last charge: what it cost until then. */
  readonly ran?: { readonly until: number; readonly rate: Rate } | undefined;
}

export interface Spent {
  /** Charges and what has run since, as far as is known. */
  readonly amount: Micros;
  /** What was certainly spent, for what must not happen too early. */
  readonly least: Micros;
  /** A charge or a price is missing, so that it may be more. */
  readonly isAtLeast: boolean;
}

/** What an account has spent in the present day or month. `at`: now, by the service's clock, in Unix seconds. */
export function spentIn(period: Period, ledger: Ledger, sources: readonly CostSource[], at: number): Spent {
  const span = stretchOf(period, at);
  const isPresent = ledger[period].from === span.from;
  const charged = isPresent ? ledger[period] : { amount: zero, least: zero };
  const until = new Map(ledger.chargedUntil);
  // A source may be charged under another name, so what is certain begins after every charge.
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
    // Without its charges nothing says that it ran all the time.
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

/** `nowMs` is this computer's time, which what was asked of the instance is noted by; `at` is the service's. */
export function instanceSource(
  instance: Instance,
  facts: InstanceFacts,
  nowMs: number,
  at = nowMs / 1000,
): CostSource {
  const full = runningRateOf(instance);
  const stopped = stoppedRateOf(instance);
  const isRunning = billingOf(stateOf(instance, facts, nowMs)) === 'running';
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

/** What is no longer listed, and whose last hours may not be charged yet; `until` in Unix seconds. */
export function goneSource(source: CostSource, until: number): CostSource {
  const ran = source.rate === undefined ? undefined : { until, rate: source.rate };
  return { ...source, rate: noRate, stoppedRate: noRate, runsFor: 0, ran };
}

/**
 * With until when it ran, as this window saw it: the note of our own stop goes by a clock that may have been set since.
 * `at`: now, by the service's clock, in Unix seconds.
 */
export function seenSource(source: CostSource, before: CostSource | undefined, at: number): CostSource {
  const [rate, rateBefore] = [source.rate ?? noRate, before?.rate ?? noRate];
  if (before === undefined || rate > rateBefore) {
    return source;
  }
  return { ...source, ran: rate < rateBefore ? { until: at, rate: rateBefore } : before.ran };
}
