import * as z from 'zod';
import { flags, numbers, texts } from './field';

/**
 * One GPU model; prices are dollars per GPU and hour, null when none is rented
 * (docs/service/market.md#record).
 */
export const gpuMetrics = z.looseObject({
  gpu_name: z.string().min(1),
  ...numbers('total', 'available', 'usage', 'usage_30d'),
  ...numbers('rented_verified', 'avail_verified', 'rented_unverified', 'avail_unverified'),
  ...numbers('dlperf', 'tflops', 'tflops_per_dollar', 'dlperf_per_dollar'),
  ...numbers('price_p10', 'price_p25', 'price_median', 'price_p75', 'price_p90'),
});
export type WireGpuMetrics = z.infer<typeof gpuMetrics>;

/**
 * `needs_machine`: the account hosts no machine and gets no figures
 * (docs/service/market.md#accounts-without-a-machine).
 */
export const gpuMetricsAnswer = z.looseObject({
  ...flags('success', 'needs_machine'),
  gpus: z.array(z.unknown()),
  ...texts('msg'),
});
