import type { Micros } from '../money';

/** A charge of an account (docs/service/billing.md#charges). Times are Unix seconds. */
export interface Charge {
  readonly start?: number;
  readonly end?: number;
  readonly type: string;
  /** For example `instance-123`. */
  readonly source?: string;
  readonly description?: string;
  readonly amount: Micros;
  readonly label?: string;
  readonly items: readonly {
    readonly type: string;
    readonly amount: Micros;
    readonly description?: string;
  }[];
}

/**
 * Returns from when to read charges so that none after `from` (Unix seconds) is missed: the service lists a charge under
 * the day on which it began, which may be some days earlier.
 */
export function listedFrom(from: number): number {
  return Math.floor(from) - 7 * 86_400;
}

/**
 * Returns a charge as it is at a moment (Unix seconds). A charge is for time that has passed, so an end in the
 * future, as of a day or a running contract, would move a part of the amount to a time that is not charged yet.
 */
export function chargedBy(at: number, charge: Charge): Charge {
  const { start, end } = charge;
  return end === undefined || end <= at ? charge : { ...charge, end: Math.max(start ?? at, at) };
}
