import * as z from 'zod';

/**
 * Money is whole millionths of a dollar, so that sums are exact. It is rounded up, never down, when it is
 * shown (docs/rules.md#money-is-never-rounded-down).
 */
export type Micros = number & { readonly __unit: 'millionths of a dollar' };

/** Of amounts that windows and disk hand over. */
export const micros = z.custom<Micros>((value) => typeof value === 'number' && Number.isFinite(value));

export const hoursPerMonth = 720;
export const zero = 0 as Micros;

/**
 * Rounds up, unless the value is a whole number spoiled by a few units in the last place of a binary
 * fraction, as 0.1 × 3 is.
 */
export function roundUp(value: number): number {
  const nearest = Math.round(value);
  const noise = Math.abs(value) * 16 * Number.EPSILON;
  const rounded = Math.abs(value - nearest) <= noise ? nearest : Math.ceil(value);
  // `+ 0` turns the -0 that Math.ceil(-0.5) gives into 0.
  return rounded + 0;
}

/** Dollars to micros, rounded up. */
export function fromDollars(dollars: number): Micros {
  return roundUp(dollars * 1e6) as Micros;
}

export function toDollars(micros: Micros): number {
  return micros / 1e6;
}

export function add(...amounts: readonly Micros[]): Micros {
  return amounts.reduce<number>((sum, amount) => sum + amount, 0) as Micros;
}

/** Adds up a list of any length; the arguments of one call have a limit of about a hundred thousand. */
export function sumMoney(amounts: Iterable<Micros>): Micros {
  let sum = 0;
  for (const amount of amounts) {
    sum += amount;
  }
  return sum as Micros;
}

/** What is left of an amount; 0 where more was spent. */
export function subtract(amount: Micros, spent: Micros): Micros {
  return Math.max(0, amount - spent) as Micros;
}

/** Multiplies by a quantity (hours, GB), rounding up to a whole millionth. */
export function times(amount: Micros, quantity: number): Micros {
  return roundUp(amount * quantity) as Micros;
}

/** Digits that keep a small price readable: `$0.0046`, `$0.423`, `$12.50`. */
function defaultDigits(amount: Micros): number {
  const size = Math.abs(amount);
  if (size === 0 || size >= 1e6) {
    return 2;
  }
  return size < 1e4 ? 4 : 3;
}

/** `$0.423`, `$12,345.67`: rounded up at the last digit shown; below a dollar three digits, below a cent four. */
export function formatMoney(amount: Micros, digits = defaultDigits(amount)): string {
  const rounded = roundUp(amount / 10 ** (6 - digits));
  const sign = rounded < 0 ? '-' : '';
  const fixed = (Math.abs(rounded) / 10 ** digits).toFixed(digits).replace(/\d(?=(\d{3})+\.)/g, '$&,');
  return `${sign}$${fixed}`;
}

/** `$10.14`: whole cents, rounded up; for amounts of a day, a month or a balance. */
export function formatCents(amount: Micros): string {
  return formatMoney(amount, 2);
}
