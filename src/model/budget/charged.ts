import type { Charge } from '../accounts/charge';
import { add, roundUp, zero, type Micros } from '../money';
import type { Stretch } from './period';

/** What charges come to in a stretch of time. */
export interface Charged {
  /** With the part of a charge over several days that falls into the time. */
  readonly amount: Micros;
  /** What was certainly charged in the time: a charge that began before it may lie before it as a whole. */
  readonly least: Micros;
}

/** One charge after copies and earlier versions of it are removed. */
export interface ChargeLine {
  readonly source: string;
  /** Unix seconds; absent where the service does not say when. */
  readonly span?: Stretch;
  readonly amount: Micros;
  readonly least: Micros;
}

/** Removes what is listed twice, so that no hour counts twice. */
export function chargeLines(charges: readonly Charge[]): readonly ChargeLine[] {
  const groups = new Map<string, Charge[]>();
  for (const charge of charges) {
    const kinds = charge.items.map(({ type }) => type).sort();
    const key = JSON.stringify([charge.source, charge.type, charge.description, kinds]);
    groups.set(key, [...(groups.get(key) ?? []), charge]);
  }
  return [...groups.values()].flatMap(linesOf);
}

/** Of one instance or volume and kind: each hour counts as the charge that began first and ends last has it. */
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
      // Two versions of one charge, and nothing says which of them is right.
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
    amount: add(...parts.map(({ amount }) => amount)),
    least: add(...parts.map(({ least }) => least)),
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

/** Until when each instance and volume is charged, in Unix seconds. */
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
