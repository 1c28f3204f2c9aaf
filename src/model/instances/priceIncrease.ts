import type { Micros } from '../money';

/**
 * A higher price that a host asks for. The record's shape is not public
 * (docs/service/instances.md#price-increases).
 */
export interface PriceIncrease {
  readonly id: number;
  readonly instanceId?: number;
  /** An hour. */
  readonly currentPrice?: Micros;
  readonly newPrice?: Micros;
  /** Unix seconds. */
  readonly deadline?: number;
}
