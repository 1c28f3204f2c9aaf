import type { GpuMetrics } from '../model/offers/gpuMetrics';
import { gpuMetrics, gpuMetricsAnswer, type WireGpuMetrics } from '../wire/metrics';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { readRecords } from './listing';
import { price } from './modelValues';
import { read } from './request';

/** Reads GPU metrics (docs/service/market.md#query). */
export function metricsApi(http: Http): Client['metrics'] {
  return {
    gpus: async ({ verified, hostingType, gpuCount }, options) => {
      const request = {
        ...read('GET /api/v0/metrics/gpu/current/'),
        query: { verified, hosting_type: hostingType, num_gpus: gpuCount },
      };
      const answer = await http.call(request, gpuMetricsAnswer, options);
      const { items, skipped } = await readRecords(answer.gpus, gpuMetrics, toGpuMetrics, {
        http,
        route: request.route,
      });
      return { gpus: items, skipped, needsMachine: answer.needs_machine ?? false };
    },
  };
}

function toGpuMetrics(wire: WireGpuMetrics): GpuMetrics {
  return defined<GpuMetrics>({
    gpuName: wire.gpu_name,
    total: wire.total,
    available: wire.available,
    rentedVerified: wire.rented_verified,
    availableVerified: wire.avail_verified,
    rentedUnverified: wire.rented_unverified,
    availableUnverified: wire.avail_unverified,
    usage: wire.usage,
    usage30d: wire.usage_30d,
    dlperf: wire.dlperf,
    teraflops: wire.tflops,
    priceP10: price(wire.price_p10),
    priceP25: price(wire.price_p25),
    priceMedian: price(wire.price_median),
    priceP75: price(wire.price_p75),
    priceP90: price(wire.price_p90),
    teraflopsPerDollar: wire.tflops_per_dollar,
    dlperfPerDollar: wire.dlperf_per_dollar,
  });
}
