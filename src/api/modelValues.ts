import { fromDollars, type Micros } from '../model/money';
import { parseJson } from '../util/json';

/** Dollars as sent; impossible amounts (negative, beyond a million) count as not stated. */
export function price(dollars: number | undefined): Micros | undefined {
  return dollars === undefined || dollars < 0 || dollars > 1e6 ? undefined : fromDollars(dollars);
}

/** A balance, which may be below zero. */
export function amount(dollars: number | undefined): Micros | undefined {
  return dollars === undefined || Math.abs(dollars) > 1e9 ? undefined : fromDollars(dollars);
}

/**
 * Returns `undefined` for -1, which the service writes for unknown values
 * (docs/service/README.md#tolerant-reading), and for a figure so large that results computed
 * from it are infinite: JSON has no such number, so other windows could not read the list.
 */
export function known(value: number | undefined): number | undefined {
  return value === undefined || value < 0 || value > Number.MAX_SAFE_INTEGER ? undefined : value;
}

/** Returns the part of a resource that a share of a machine has; the whole if the record does not state the share. */
export function shareOf(whole: number | undefined, fraction: number | undefined): number | undefined {
  const isShare = fraction !== undefined && fraction > 0 && fraction < 1;
  const value = known(whole);
  return value === undefined || !isShare ? value : value * fraction;
}

export function port(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value >= 1 && value <= 65_535 ? value : undefined;
}

/** Returns a time in Unix ms: numbers are Unix seconds, and a text without a time zone is in UTC. */
export function timeOf(value: number | string | null | undefined): number | undefined {
  if (value === undefined || value === null || value === '') {
    return undefined;
  }
  const seconds = Number(value);
  if (Number.isFinite(seconds)) {
    return seconds > 0 && seconds < 1e11 ? Math.round(seconds * 1000) : undefined;
  }
  const text = String(value).trim();
  const ms = Date.parse(/(?:Z|GMT|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}

/** Returns the value of a JSON text and any other value unchanged; `undefined` for a text that is no JSON. */
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
