import { round } from '../random';
import type { World } from '../world';
import type { Machine } from './machines';
import { monthHours, type Market, type Slice } from './market';

export type RentalType = 'on-demand' | 'bid' | 'reserved';
/** A record with the service's own field names. */
export type Row = Readonly<Record<string, unknown>>;

/** What a slice costs an hour, in dollars. */
function slicePrices(market: Market, slice: Slice, type: RentalType, diskGb: number) {
  const onDemand = market.pricePerGpu(slice.machine) * slice.gpus;
  const minBid = market.minBidPerGpu(slice.machine) * slice.gpus;
  const gpu =
    type === 'bid' ? minBid : type === 'reserved' ? onDemand * (1 - slice.machine.discount) : onDemand;
  return { gpu, minBid, onDemand, disk: (slice.machine.storageCost * diskGb) / monthHours };
}

/** Returns an offer as POST bundles shows it (docs/service/offers.md#record). */
export function offerRow(
  world: World,
  market: Market,
  slice: Slice,
  type: RentalType,
  allocatedGb: number,
): Row {
  const { machine, gpus } = slice;
  const { gpu, minBid, onDemand, disk } = slicePrices(market, slice, type, allocatedGb);
  const total = gpu + disk;
  const dlperf = machine.model.dlperf * gpus;
  const tflops = machine.model.tflops * gpus;
  const rentable = market.isRentable(slice);
  const end = market.listedUntil(machine);
  const costs = {
    gpuCostPerHour: gpu,
    diskHour: disk,
    totalHour: total,
    discountTotalHour: 0,
    discountedTotalPerHour: total,
  };
  return {
    id: slice.offerId,
    ask_contract_id: slice.offerId,
    bundle_id: machine.id * 100 + gpus,
    rn: 1,
    ...machineFields(machine),
    ...gpuFields(machine, gpus),
    cpu_cores_effective: round((machine.cpu.cores * gpus) / machine.gpus, 1),
    disk_space: round((machine.diskGb * gpus) / machine.gpus, 1),
    direct_port_count: Math.floor((machine.ports * gpus) / machine.gpus),
    total_flops: round(tflops, 2),
    dlperf: round(dlperf, 3),
    dlperf_per_dphtotal: round(dlperf / total, 3),
    flops_per_dphtotal: round(tflops / total, 3),
    score: round((dlperf / total) * machine.reliability ** 4 * Math.log2(1 + gpus), 3),
    dph_base: round(gpu, 6),
    dph_total: round(total, 6),
    dph_total_adj: round(total, 6),
    discounted_hourly: 0,
    discounted_dph_total: round(total, 6),
    discount_rate: type === 'reserved' ? machine.discount : 0,
    credit_discount_max: machine.discount,
    min_bid: round(minBid, 6),
    is_bid: type === 'bid',
    storage_total_cost: round(disk, 8),
    vram_costperhour: round(onDemand / ((machine.model.ramMb / 1024) * gpus), 8),
    rentable,
    rented: !rentable,
    start_date: end - machine.listedDays * 86_400,
    end_date: end,
    duration: round(end - world.now(), 2),
    time_remaining: '',
    time_remaining_isbid: '',
    search: costs,
    instance: costs,
  };
}

function gpuFields({ model, gpus: all, displayActive }: Machine, gpus: number): Row {
  return {
    num_gpus: gpus,
    gpu_name: model.name,
    gpu_ram: model.ramMb,
    gpu_total_ram: model.ramMb * gpus,
    gpu_frac: gpus / all,
    gpu_arch: 'nvidia',
    gpu_lanes: 16,
    gpu_mem_bw: model.memoryBandwidth,
    gpu_max_power: model.watts,
    gpu_max_temp: 90,
    gpu_display_active: displayActive,
    gpu_ids: Array.from({ length: gpus }, (_, index) => index),
    compute_cap: model.computeCap,
    bw_nvlink: gpus > 1 ? model.nvlink : 0,
    pci_gen: model.pciGen,
  };
}

/** The fields of the machine in offers and instances. */
export function machineFields(machine: Machine): Row {
  return {
    machine_id: machine.id,
    host_id: machine.hostId,
    cluster_id: null,
    cuda_max_good: machine.cuda,
    driver_version: machine.driver,
    driver_vers: driverNumber(machine.driver),
    cpu_name: machine.cpu.name,
    cpu_cores: machine.cpu.cores,
    cpu_ghz: machine.cpuGhz,
    cpu_ram: machine.cpuRamMb,
    cpu_arch: machine.cpu.arch,
    has_avx: machine.cpu.arch === 'amd64' ? 1 : 0,
    disk_bw: machine.diskBandwidth,
    disk_name: machine.diskName,
    inet_up: machine.inetUp,
    inet_down: machine.inetDown,
    inet_up_cost: machine.inetUpCost,
    inet_down_cost: machine.inetDownCost,
    internet_up_cost_per_tb: round(machine.inetUpCost * 1000, 3),
    internet_down_cost_per_tb: round(machine.inetDownCost * 1000, 3),
    static_ip: machine.staticIp,
    public_ipaddr: machine.publicIp,
    geolocation: machine.geolocation,
    storage_cost: machine.storageCost,
    external: machine.external,
    hosting_type: machine.datacenter ? 1 : 0,
    reliability: machine.reliability,
    reliability2: machine.reliability,
    reliability_mult: round(machine.reliability ** 4, 4),
    expected_reliability: machine.reliability,
    verification: machine.verification,
    verified: machine.verification === 'verified',
    vericode: machine.verification === 'verified' ? 1 : 0,
    os_version: machine.os,
    mobo_name: machine.mobo,
    pcie_bw: machine.pcieBandwidth,
    vms_enabled: machine.vms,
    is_vm_deverified: false,
    resource_type: 'gpu',
    webpage: null,
  };
}

/** Converts `570.124.04` to 570124004, as clients compare it (docs/service/offers.md#fields-and-units). */
export function driverNumber(text: string): number | undefined {
  const match = /^(\d{1,4})(?:\.(\d{1,3}))?(?:\.(\d{1,3}))?$/.exec(text.trim());
  return match
    ? Number(match[1]) * 1_000_000 + Number(match[2] ?? 0) * 1000 + Number(match[3] ?? 0)
    : undefined;
}

/**
 * The fields that the interface description names, for records without any other
 * (docs/service/offers.md#record).
 */
const documentedOfferFields = [
  'id',
  'num_gpus',
  'gpu_name',
  'dph_total',
  'dlperf_per_dphtotal',
  'reliability',
  'verified',
  'rentable',
  'direct_port_count',
  'cuda_max_good',
  'gpu_ram',
];

export function minimalOffer(row: Row): Row {
  return onlyFields(row, documentedOfferFields);
}

export function onlyFields(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.flatMap((name) => (name in row ? [[name, row[name]]] : [])));
}
