import type { MetricsQuery } from './gpuMetrics';
import type { Filters } from './searchFields';

/** Returns the filters by which a search finds the offers that market figures are about. */
export function metricsFilters({ verified, hostingType, gpuCount }: MetricsQuery): Filters {
  return {
    rentable: true,
    ...(verified === 'all' ? {} : { verified: verified === 'yes' }),
    ...(hostingType === 'all' ? {} : { datacenter: hostingType === 'secure_cloud' }),
    ...(gpuCount === 'all' ? {} : { gpuCount: { min: Number(gpuCount), max: Number(gpuCount) } }),
  };
}
