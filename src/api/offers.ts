import type { OfferSearch } from '../model/offers/filters';
import type { GpuMetrics } from '../model/offers/gpuMetrics';
import type { Offer } from '../model/offers/offer';
import { defined } from '../util/defined';
import { gpuMetrics, gpuMetricsAnswer, type WireGpuMetrics } from '../wire/metrics';
import { gpuType, gpuTypeList, offer, offerList, type WireOffer } from '../wire/offer';
import type { Client } from './client';
import type { Http } from './http';
import { readList, readRecords, readSearch } from './listing';
import { known, nonEmpty, price, shareOf } from './modelValues';
import { rent } from './rent';
import { read } from './request';

export function offersApi(http: Http): Client['offers'] {
  return {
    // The search reads although it is a POST, so it may be repeated (docs/service/offers.md#search).
    search: (search, options) => {
      const request = { ...read('POST /api/v0/bundles/'), body: searchBody(search) };
      return readSearch(http, request, offerList, offer, toOffer, options);
    },
    gpuNames: (options) =>
      readList(
        http,
        read('GET /api/v0/gpu_types/'),
        gpuTypeList,
        gpuType,
        ({ canonical_name: name }) => name,
        options,
      ),
    rent: (offerId, config, options) => rent(http, offerId, config, options),
  };
}

/** Filters are sent beside `type`, `order` and `limit`; a filter can't replace these. */
function searchBody(search: OfferSearch): Readonly<Record<string, unknown>> {
  return {
    ...search.filters,
    type: search.rentalType === 'interruptible' ? 'bid' : 'on-demand',
    order: search.order,
    ...(search.limit === undefined ? {} : { limit: search.limit }),
    ...(search.allocatedStorageGb === undefined ? {} : { allocated_storage: search.allocatedStorageGb }),
  };
}

export function toOffer(wire: WireOffer): Offer {
  return defined<Offer>({
    id: wire.id,
    machineId: wire.machine_id,
    hostId: wire.host_id,
    gpuName: nonEmpty(wire.gpu_name),
    gpuCount: known(wire.num_gpus),
    gpuRamMb: known(wire.gpu_ram),
    gpuArch: nonEmpty(wire.gpu_arch),
    computeCapability: known(wire.compute_cap),
    cudaVersion: known(wire.cuda_max_good),
    driverVersion: nonEmpty(wire.driver_version),
    teraflops: known(wire.total_flops),
    dlperf: known(wire.dlperf),
    dlperfPerDollar: known(wire.dlperf_per_dphtotal),
    score: wire.score,
    cpuName: nonEmpty(wire.cpu_name),
    // Memory and plain cores are those of the machine (docs/service/offers.md#shares).
    cpuCores: known(wire.cpu_cores_effective) ?? shareOf(wire.cpu_cores, wire.gpu_frac),
    cpuRamMb: shareOf(wire.cpu_ram, wire.gpu_frac),
    cpuArch: nonEmpty(wire.cpu_arch),
    diskSpaceGb: known(wire.disk_space),
    diskMbPerSecond: known(wire.disk_bw),
    inetUpMbit: known(wire.inet_up),
    inetDownMbit: known(wire.inet_down),
    inetUpPerGb: price(wire.inet_up_cost),
    inetDownPerGb: price(wire.inet_down_cost),
    directPorts: known(wire.direct_port_count),
    staticIp: wire.static_ip,
    location: nonEmpty(wire.geolocation),
    countryCode: countryCode(wire.geolocation),
    gpuPerHour: price(wire.dph_base),
    totalPerHour: price(wire.dph_total),
    storagePerGbMonth: price(wire.storage_cost),
    minBidPerHour: price(wire.min_bid),
    isBid: wire.is_bid,
    rentable: wire.rentable,
    reliability: known(wire.reliability) ?? known(wire.reliability2),
    verified:
      wire.verified ?? (wire.verification === undefined ? undefined : wire.verification === 'verified'),
    datacenter: wire.hosting_type === undefined ? undefined : wire.hosting_type === 1,
    durationSeconds: known(wire.duration),
    vmSupport: wire.vms_enabled,
  });
}

/** Returns the country code of "Sweden, SE", "US" or ", US" (docs/service/offers.md#location). */
function countryCode(location: string | undefined): string | undefined {
  return /(?:^|,)\s*([A-Z]{2})$/.exec(location ?? '')?.[1];
}

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
