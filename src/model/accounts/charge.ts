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
