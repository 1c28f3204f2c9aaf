import * as z from 'zod';
import { looseBoolean, looseNumber, looseString } from './field';

/**
 * One GPU model; prices are dollars per GPU and hour, null when none is rented
 * (docs/service/market.md#record).
 */
export const gpuMetrics = z.looseObject({
  gpu_name: z.string().min(1),
  total: looseNumber,
  available: looseNumber,
  rented_verified: looseNumber,
  avail_verified: looseNumber,
  rented_unverified: looseNumber,
  avail_unverified: looseNumber,
  usage: looseNumber,
  usage_30d: looseNumber,
  dlperf: looseNumber,
  tflops: looseNumber,
  price_p10: looseNumber,
  price_p25: looseNumber,
  price_median: looseNumber,
  price_p75: looseNumber,
  price_p90: looseNumber,
  tflops_per_dollar: looseNumber,
  dlperf_per_dollar: looseNumber,
});
export type WireGpuMetrics = z.infer<typeof gpuMetrics>;

/**
 * `needs_machine`: the account hosts no machine and gets no figures
 * (docs/service/market.md#accounts-without-a-machine).
 */
export const gpuMetricsAnswer = z.looseObject({
  success: looseBoolean,
  gpus: z.array(z.unknown()),
  needs_machine: looseBoolean,
  msg: looseString,
});
