import * as z from 'zod';
import { id, looseBoolean, looseNumber, looseString } from './field';

/** One row of POST bundles (interface: Offer; service-facts 3.1). `gpu_ram` is in MB, prices are dollars an hour. */
export const offer = z.looseObject({
  id,
  machine_id: looseNumber,
  host_id: looseNumber,
  gpu_name: looseString,
  num_gpus: looseNumber,
  gpu_ram: looseNumber,
  gpu_total_ram: looseNumber,
  gpu_frac: looseNumber,
  gpu_arch: looseString,
  gpu_mem_bw: looseNumber,
  compute_cap: looseNumber,
  cuda_max_good: looseNumber,
  driver_version: looseString,
  total_flops: looseNumber,
  dlperf: looseNumber,
  dlperf_per_dphtotal: looseNumber,
  score: looseNumber,
  cpu_name: looseString,
  cpu_cores: looseNumber,
  cpu_cores_effective: looseNumber,
  cpu_ram: looseNumber,
  cpu_arch: looseString,
  disk_space: looseNumber,
  disk_bw: looseNumber,
  disk_name: looseString,
  inet_up: looseNumber,
  inet_down: looseNumber,
  inet_up_cost: looseNumber,
  inet_down_cost: looseNumber,
  pcie_bw: looseNumber,
  pci_gen: looseNumber,
  direct_port_count: looseNumber,
  static_ip: looseBoolean,
  geolocation: looseString,
  dph_base: looseNumber,
  dph_total: looseNumber,
  min_bid: looseNumber,
  is_bid: looseBoolean,
  storage_cost: looseNumber,
  storage_total_cost: looseNumber,
  rentable: looseBoolean,
  rented: looseBoolean,
  external: looseBoolean,
  hosting_type: looseNumber,
  reliability: looseNumber,
  reliability2: looseNumber,
  verified: looseBoolean,
  verification: looseString,
  duration: looseNumber,
  end_date: looseNumber,
  vms_enabled: looseBoolean,
});
export type WireOffer = z.infer<typeof offer>;

export const offerList = z.looseObject({ offers: z.array(z.unknown()) });

/** A value a filter compares with; lists go with `in` and `notin`. */
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[];
export const filterOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'notin'] as const;
export type FilterOperator = (typeof filterOperators)[number];
/** `{field: {operator: value}}` (interface: Search offers; service-facts 2.15). */
export type WireFilters = Readonly<Record<string, Readonly<Partial<Record<FilterOperator, FilterValue>>>>>;
export interface WireOfferSearch {
  readonly filters: WireFilters;
  readonly type: 'on-demand' | 'bid' | 'reserved';
  readonly order: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
  readonly limit?: number;
  /** GB that `dph_total` shall include. */
  readonly allocatedStorage?: number;
}
