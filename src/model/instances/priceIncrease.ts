import type { Micros } from '../money';

/**
 * A price increase that a host requests. The shape of the record is not public
 * (docs/service/instances.md#price-increases).
 */
export interface PriceIncrease {
  readonly id: number;
  readonly instanceId?: number;
  /** Per hour. */
  readonly currentPrice?: Micros;
  readonly newPrice?: Micros;
  /** Unix seconds. */
  readonly deadline?: number;
}
