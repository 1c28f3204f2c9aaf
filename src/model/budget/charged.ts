import type { Charge } from '../accounts/charge';
import { roundUp, sumMoney, zero, type Micros } from '../money';
import type { Stretch } from './period';

/** The sum of charges in a time range. */
export interface Charged {
  /** Includes the share of a longer charge that falls into the range. */
  readonly amount: Micros;
  /** The amount that was certainly charged in the range. A charge that began earlier may lie entirely before it. */
  readonly least: Micros;
}

/** A charge without its copies and earlier versions. */
export interface ChargeLine {
  readonly source: string;
  /** Unix seconds; absent if the service does not report the time. */
  readonly span?: Stretch;
  readonly amount: Micros;
  readonly least: Micros;
}

/** Removes duplicates, so that no hour counts twice. */
export function chargeLines(charges: readonly Charge[]): readonly ChargeLine[] {
  const groups = new Map<string, Charge[]>();
  for (const charge of charges) {
    const kinds = charge.items.map(({ type }) => type).sort();
    const key = JSON.stringify([charge.source, charge.type, charge.description, kinds]);
    groups.set(key, [...(groups.get(key) ?? []), charge]);
  }
  return [...groups.values()].flatMap(linesOf);
}

/**
 * Returns the charges of one instance or volume and kind. Each hour counts once, as charged by the entry that began
 * first and ends last.
 */
function linesOf(charges: readonly Charge[]): readonly ChargeLine[] {
  const timed = charges.flatMap((charge) => {
    const span = spanOfCharge(charge);
    return span === undefined ? [] : [{ charge, span }];
  });
  const sorted = timed.sort((a, b) => a.span.from - b.span.from || b.span.to - a.span.to);
  const lines: ChargeLine[] = [...new Map(untimed(charges).map((line) => [line.amount, line])).values()];
  let last: ChargeLine & { readonly span: Stretch } = {
    source: '',
    span: { from: -Infinity, to: -Infinity },
    amount: zero,
    least: zero,
  };
  for (const { charge, span } of sorted) {
    const { amount, source = '' } = charge;
    if (span.from === last.span.from && span.to === last.span.to) {
      // Two versions of a charge contradict each other, and nothing shows which is right.
      lines.pop();
      last = { ...last, amount: larger(last.amount, amount), least: smaller(last.least, amount) };
    } else if (span.from >= last.span.to) {
      last = { source, span, amount, least: amount };
    } else if (span.to > last.span.to) {
      const rest = { from: last.span.to, to: span.to };
      last = { source, span: rest, amount: partOf(amount, span, rest), least: smaller(amount, zero) };
    } else {
      continue;
    }
    lines.push(last);
  }
  return lines;
}

function untimed(charges: readonly Charge[]): readonly ChargeLine[] {
  return charges
    .filter((charge) => spanOfCharge(charge) === undefined)
    .map(({ source = '', amount }) => ({ source, amount, least: smaller(amount, zero) }));
}

function spanOfCharge({ start, end }: Charge): Stretch | undefined {
  const from = start ?? end;
  return from === undefined ? undefined : { from, to: Math.max(from, end ?? from) };
}

export function chargedIn(lines: readonly ChargeLine[], span: Stretch): Charged {
  const parts = lines.map((line) => chargedOf(line, span));
  return {
    amount: sumMoney(parts.map(({ amount }) => amount)),
    least: sumMoney(parts.map(({ least }) => least)),
  };
}

const nothing: Charged = { amount: zero, least: zero };

function chargedOf({ span: own, amount, least }: ChargeLine, span: Stretch): Charged {
  if (own === undefined) {
    return { amount, least };
  }
  const { from, to } = own;
  if (from >= span.from && from < span.to && to <= span.to) {
    return { amount, least };
  }
  const shared = { from: Math.max(from, span.from), to: Math.min(to, span.to) };
  return shared.from >= shared.to
    ? nothing
    : { amount: partOf(amount, own, shared), least: smaller(least, zero) };
}

function partOf(amount: Micros, whole: Stretch, part: Stretch): Micros {
  return roundUp((amount * (part.to - part.from)) / (whole.to - whole.from)) as Micros;
}

/** Returns until when each instance and volume has been charged (Unix seconds). */
export function chargedUntil(lines: readonly ChargeLine[]): ReadonlyMap<string, number> {
  const until = new Map<string, number>();
  for (const { source, span } of lines) {
    if (span !== undefined) {
      until.set(source, Math.max(until.get(source) ?? 0, span.to));
    }
  }
  return until;
}

function larger(a: Micros, b: Micros): Micros {
  return a > b ? a : b;
}

function smaller(a: Micros, b: Micros): Micros {
  return a < b ? a : b;
}
