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
