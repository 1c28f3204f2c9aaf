import * as z from 'zod';
import { id, looseBoolean, looseNumber, looseString } from './field';

/** A row of POST bundles (docs/service/offers.md#record). `gpu_ram` is in MB, prices are dollars an hour. */
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

/** What offers have and can be searched by, in the service's names. */
export type OfferField =
  | keyof typeof offer.shape
  | 'bw_nvlink'
  | 'cluster_id'
  | 'cpu_ghz'
  | 'datacenter'
  | 'flops_per_dphtotal'
  | 'gpu_display_active'
  | 'gpu_max_power'
  | 'gpu_max_temp'
  | 'has_avx'
  | 'mobo_name'
  | 'os_version';

export const offerList = z.looseObject({ offers: z.array(z.unknown()) });
