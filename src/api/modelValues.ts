import { parseJson } from '../util/json';
import { fromDollars, type Micros } from '../model/money';

/** Dollars as sent; amounts that cannot be meant (negative, beyond a million) count as not said. */
export function price(dollars: number | undefined): Micros | undefined {
  return dollars === undefined || dollars < 0 || dollars > 1e6 ? undefined : fromDollars(dollars);
}

/** A balance, which may be below zero. */
export function amount(dollars: number | undefined): Micros | undefined {
  return dollars === undefined || Math.abs(dollars) > 1e9 ? undefined : fromDollars(dollars);
}

/**
 * Returns `undefined` for -1, which the service writes for unknown values
 * (docs/service/README.md#tolerant-reading), and for a figure so large that what is computed from it has no bounds:
 * JSON has no such number, so other windows would not understand the list that it is in.
 */
export function known(value: number | undefined): number | undefined {
  return value === undefined || value < 0 || value > Number.MAX_SAFE_INTEGER ? undefined : value;
}

/** Returns what a share of a machine has of it; the whole where the record does not say which share it is. */
export function shareOf(whole: number | undefined, fraction: number | undefined): number | undefined {
  const isShare = fraction !== undefined && fraction > 0 && fraction < 1;
  const value = known(whole);
  return value === undefined || !isShare ? value : value * fraction;
}

export function port(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : undefined;
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

/** Returns what a JSON text says and any other value as it is; `undefined` for a text that is no JSON. */
export function parsedText(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}
