import * as z from 'zod';
import { flags, id, listUnder, numbers, texts } from './field';

/** A row of POST bundles (docs/service/offers.md#record). `gpu_ram` is in MB, prices are dollars an hour. */
export const offer = z.object({
  id,
  ...numbers('machine_id', 'host_id', 'hosting_type'),
  ...texts('gpu_name', 'gpu_arch', 'driver_version'),
  ...numbers('num_gpus', 'gpu_ram', 'gpu_total_ram', 'gpu_frac', 'gpu_mem_bw'),
  ...numbers('compute_cap', 'cuda_max_good', 'total_flops', 'dlperf', 'dlperf_per_dphtotal', 'score'),
  ...texts('cpu_name', 'cpu_arch', 'disk_name', 'geolocation', 'verification'),
  ...numbers('cpu_cores', 'cpu_cores_effective', 'cpu_ram', 'disk_space', 'disk_bw', 'pcie_bw', 'pci_gen'),
  ...numbers('inet_up', 'inet_down', 'inet_up_cost', 'inet_down_cost', 'direct_port_count'),
  ...numbers('dph_base', 'dph_total', 'min_bid', 'storage_cost', 'storage_total_cost'),
  ...numbers('reliability', 'reliability2', 'duration', 'end_date'),
  ...flags('static_ip', 'is_bid', 'rentable', 'rented', 'external', 'verified', 'vms_enabled'),
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

export const offerList = listUnder('offers');

/** A row of GET gpu_types (docs/service/offers.md#gpu-types). */
export const gpuType = z.looseObject({ canonical_name: z.string().trim().min(1).max(60) });
export const gpuTypeList = listUnder('gpu_types');
