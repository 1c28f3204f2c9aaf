import type { Micros } from '../money';

/** The figures of a GPU model on the market (docs/service/market.md#record). Prices are per GPU and hour. */
export interface GpuMetrics {
  readonly gpuName: string;
  readonly total?: number;
  readonly available?: number;
  readonly rentedVerified?: number;
  readonly availableVerified?: number;
  readonly rentedUnverified?: number;
  readonly availableUnverified?: number;
  /** Percent. */
  readonly usage?: number;
  readonly usage30d?: number;
  readonly dlperf?: number;
  readonly teraflops?: number;
  readonly priceP10?: Micros;
  readonly priceP25?: Micros;
  readonly priceMedian?: Micros;
  readonly priceP75?: Micros;
  readonly priceP90?: Micros;
  readonly teraflopsPerDollar?: number;
  readonly dlperfPerDollar?: number;
}

/** Values of the three query parameters (docs/service/market.md#query). */
export interface MetricsQuery {
  readonly verified: 'yes' | 'no' | 'all';
  readonly hostingType: 'all' | 'secure_cloud' | 'community';
  /** `all`, or the number of GPUs as text. */
  readonly gpuCount: string;
}

export interface MetricsAnswer {
  readonly gpus: readonly GpuMetrics[];
  /**
   * True if the service refuses, because it shows figures only to accounts that host a machine
   * (docs/service/market.md#accounts-without-a-machine).
   */
  readonly needsMachine: boolean;
  readonly skipped: number;
}
