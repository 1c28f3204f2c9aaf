import type { Micros } from '../money';

/** A host asks for a higher price; the record's shape is not public (service-facts 2.8). */
export interface PriceIncrease {
  readonly id: number;
  readonly instanceId?: number;
  /** An hour. */
  readonly currentPrice?: Micros;
  readonly newPrice?: Micros;
  /** Unix seconds. */
  readonly deadline?: number;
}
