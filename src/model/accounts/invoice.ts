import { sumMoney, type Micros } from '../money';

/** Money that an account paid in or got back, apart from charges (docs/service/billing.md#invoices). */
export interface Invoice {
  readonly number?: number;
  /** Unix seconds. */
  readonly at?: number;
  readonly isPaid: boolean;
  /** For example `credit`, `transfer`, `payout`, `refund` or `reserved`. */
  readonly type: string;
  /** Where it came from, for example `stripe_payments`. */
  readonly source?: string;
  readonly description?: string;
  /** What it adds to the account; below zero where money left it. */
  readonly amount: Micros;
}

/** Returns what all paid invoices add to the account. */
export function paidIn(invoices: readonly Invoice[]): Micros {
  return sumMoney(invoices.flatMap(({ isPaid, amount }) => (isPaid ? [amount] : [])));
}
