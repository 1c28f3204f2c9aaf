import type { Micros } from '../money';
import type { Instance } from './instance';

/** What was paid in advance for an instance (docs/service/instances.md#deposit). */
export interface Deposit {
  /** What the service pays back if the instance ends now. */
  readonly refundable: Micros;
  /** The discount so far. */
  readonly discount?: Micros;
  /** How long the discount lasts. */
  readonly months?: number;
}

/** A discount for paying in advance. */
export interface DepositTerm {
  readonly months: number;
  readonly percent: number;
  /** The days of use from which it costs less than no deposit. */
  readonly paysFromDays: number;
}

const daysPerMonth = 30;
/** The documented terms, as shares of the largest discount. */
const terms = [
  { months: 1, share: 1 / 2 },
  { months: 3, share: 3 / 4 },
] as const;

/** Returns the terms for a deposit; none for a bid, or where the record states no discount. */
export function depositTerms({ isInterruptible, discountMax = 0 }: Instance): readonly DepositTerm[] {
  return terms.flatMap(({ months, share }) => {
    const rate = discountMax * share;
    // Not promised too high, for example 29 % for a rate of 0.29 that is a little less in binary.
    const percent = Math.floor(rate * 100 + 1e-9);
    const paysFromDays = Math.ceil(months * daysPerMonth * (1 - rate) - 1e-9);
    return isInterruptible === true || percent < 1 ? [] : [{ months, percent, paysFromDays }];
  });
}
