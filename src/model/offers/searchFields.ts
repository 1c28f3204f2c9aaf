import { text, type Text } from '../../util/text';
import type { OfferField } from '../../wire/offer';
import { toDollars, type Micros } from '../money';
import { leastMbFor, mostMbFor, soldGpuGb } from './gpuMemory';
import type { Offer } from './offer';

/**
 * The fields that offers can be searched by, in the units that users see and in the service's names and units
 * (docs/service/offers.md#fields-and-units). This is the only file that names the wire unit of an offer.
 */
export interface NumberField {
  readonly kind: 'number';
  readonly wire: OfferField;
  readonly label: Text;
  /** Follows the number; empty if the number needs no unit. */
  readonly unit: string;
  /** Returns the value of an offer in the users' units, or `undefined` if the service does not report it. */
  readonly of?: (offer: Offer) => number | undefined;
  /** Returns the value of an offer in the service's units, if it differs from `of` times the scale. */
  readonly wireOf?: (offer: Offer) => number | undefined;
  /** Wire units per user unit. */
  readonly scale?: number;
  /** True if the fraction is not shown. An upper limit then includes it: 64.4 GB is shown as 64 GB. */
  readonly isShownWhole?: true;
  /** Returns the bound to send, if it differs from the value times the scale. */
  readonly least?: (value: number) => number;
  readonly most?: (value: number) => number;
}

export interface ChoiceField {
  readonly kind: 'choice';
  readonly wire: OfferField;
  readonly label: Text;
  readonly of?: (offer: Offer) => string | undefined;
  /** True if the values are whole numbers on the wire. */
  readonly numeric?: true;
}

export interface FlagField {
  readonly kind: 'flag';
  readonly wire: OfferField;
  readonly label: Text;
  readonly of?: (offer: Offer) => boolean | undefined;
}

const dollars = (amount: Micros | undefined) => (amount === undefined ? undefined : toDollars(amount));
const over = (value: number | undefined, scale: number) => (value === undefined ? undefined : value / scale);

/** Returns the total memory from the sizes that cards are sold with, such as 16 × 80 GB. */
function totalGpuGb(offer: Offer): number | undefined {
  return offer.gpuRamMb === undefined || offer.gpuCount === undefined
    ? undefined
    : soldGpuGb(offer.gpuRamMb) * offer.gpuCount;
}

/** Returns the driver series, by which users search: 570 for "570.124.04". */
function driverSeries(offer: Offer): number | undefined {
  const match = /^\d+/.exec(offer.driverVersion ?? '');
  return match ? Number(match[0]) : undefined;
}

export const numberFields = {
  gpuCount: { kind: 'number', wire: 'num_gpus', label: text('GPUs'), unit: '', of: (o) => o.gpuCount },
  gpuRamGb: {
    kind: 'number',
    wire: 'gpu_ram',
    label: text('Memory per GPU'),
    unit: 'GB',
    of: (o) => (o.gpuRamMb === undefined ? undefined : soldGpuGb(o.gpuRamMb)),
    wireOf: (o) => o.gpuRamMb,
    least: leastMbFor,
    most: mostMbFor,
  },
  gpuTotalRamGb: {
    kind: 'number',
    wire: 'gpu_total_ram',
    label: text('Total GPU memory'),
    unit: 'GB',
    of: totalGpuGb,
    wireOf: (o) => over(o.gpuRamMb, 1 / (o.gpuCount ?? 1)),
    // Cards report up to a sixteenth less than the size they are sold with. The exact check is made here, on the
    // answer.
    least: (gb) => Math.floor(gb * 1024 * 0.93),
    most: (gb) => gb * 1024,
  },
  pricePerHour: {
    kind: 'number',
    wire: 'dph_total',
    label: text('Price per hour'),
    unit: '$',
    of: (o) => dollars(o.totalPerHour),
  },
  minBid: {
    kind: 'number',
    wire: 'min_bid',
    label: text('Minimum bid'),
    unit: '$',
    of: (o) => dollars(o.minBidPerHour),
  },
  reliability: {
    kind: 'number',
    wire: 'reliability',
    label: text('Reliability'),
    unit: '%',
    scale: 0.01,
    of: (o) => over(o.reliability, 0.01),
  },
  cuda: { kind: 'number', wire: 'cuda_max_good', label: text('CUDA'), unit: '', of: (o) => o.cudaVersion },
  computeCapability: {
    kind: 'number',
    wire: 'compute_cap',
    label: text('Compute capability'),
    unit: '',
    scale: 100,
    of: (o) => over(o.computeCapability, 100),
  },
  driver: {
    kind: 'number',
    wire: 'driver_version',
    label: text('Driver'),
    unit: '',
    of: driverSeries,
    // The service compares versions as whole numbers: 535.86.05 is 535086005.
    least: (series) => Math.floor(series) * 1_000_000,
    most: (series) => (Math.floor(series) + 1) * 1_000_000 - 1,
  },
  ports: {
    kind: 'number',
    wire: 'direct_port_count',
    label: text('Open ports'),
    unit: '',
    of: (o) => o.directPorts,
  },
  cpuCores: {
    kind: 'number',
    wire: 'cpu_cores_effective',
    label: text('CPU cores'),
    unit: '',
    isShownWhole: true,
    of: (o) => o.cpuCores,
  },
  cpuGhz: { kind: 'number', wire: 'cpu_ghz', label: text('CPU clock'), unit: 'GHz' },
  ramGb: {
    kind: 'number',
    wire: 'cpu_ram',
    label: text('RAM'),
    unit: 'GB',
    isShownWhole: true,
    scale: 1000,
    of: (o) => over(o.cpuRamMb, 1000),
  },
  diskGb: {
    kind: 'number',
    wire: 'disk_space',
    label: text('Disk space'),
    unit: 'GB',
    isShownWhole: true,
    of: (o) => o.diskSpaceGb,
  },
  diskSpeed: {
    kind: 'number',
    wire: 'disk_bw',
    label: text('Disk speed'),
    unit: 'MB/s',
    of: (o) => o.diskMbPerSecond,
  },
  downMbit: {
    kind: 'number',
    wire: 'inet_down',
    label: text('Download'),
    unit: 'Mbit/s',
    isShownWhole: true,
    of: (o) => o.inetDownMbit,
  },
  upMbit: {
    kind: 'number',
    wire: 'inet_up',
    label: text('Upload'),
    unit: 'Mbit/s',
    isShownWhole: true,
    of: (o) => o.inetUpMbit,
  },
  downPerGb: {
    kind: 'number',
    wire: 'inet_down_cost',
    label: text('Download price per GB'),
    unit: '$',
    of: (o) => dollars(o.inetDownPerGb),
  },
  upPerGb: {
    kind: 'number',
    wire: 'inet_up_cost',
    label: text('Upload price per GB'),
    unit: '$',
    of: (o) => dollars(o.inetUpPerGb),
  },
  storagePerGbMonth: {
    kind: 'number',
    wire: 'storage_cost',
    label: text('Storage price per GB and month'),
    unit: '$',
    of: (o) => dollars(o.storagePerGbMonth),
  },
  days: {
    kind: 'number',
    wire: 'duration',
    label: text('Available for'),
    unit: 'days',
    scale: 86_400,
    of: (o) => over(o.durationSeconds, 86_400),
  },
  dlperf: {
    kind: 'number',
    wire: 'dlperf',
    label: text('Deep learning score'),
    unit: '',
    isShownWhole: true,
    of: (o) => o.dlperf,
  },
  value: {
    kind: 'number',
    wire: 'dlperf_per_dphtotal',
    label: text('Value for Money'),
    unit: '',
    isShownWhole: true,
    of: (o) => o.dlperfPerDollar,
  },
  teraflops: {
    kind: 'number',
    wire: 'total_flops',
    label: text('Computing power'),
    unit: 'TFLOPS',
    isShownWhole: true,
    of: (o) => o.teraflops,
  },
  teraflopsPerDollar: {
    kind: 'number',
    wire: 'flops_per_dphtotal',
    label: text('Computing power per dollar'),
    unit: 'TFLOPS/$',
  },
  gpuShare: { kind: 'number', wire: 'gpu_frac', label: text('Share of the machine'), unit: '%', scale: 0.01 },
  gpuBandwidth: { kind: 'number', wire: 'gpu_mem_bw', label: text('GPU memory bandwidth'), unit: 'GB/s' },
  nvlink: { kind: 'number', wire: 'bw_nvlink', label: text('NVLink bandwidth'), unit: 'GB/s' },
  pcie: { kind: 'number', wire: 'pcie_bw', label: text('PCIe bandwidth'), unit: 'GB/s' },
  pcieGeneration: { kind: 'number', wire: 'pci_gen', label: text('PCIe generation'), unit: '' },
  gpuWatts: { kind: 'number', wire: 'gpu_max_power', label: text('GPU power limit'), unit: 'W' },
  gpuCelsius: { kind: 'number', wire: 'gpu_max_temp', label: text('GPU temperature limit'), unit: '°C' },
} as const satisfies Record<string, NumberField>;

export const choiceFields = {
  gpu: { kind: 'choice', wire: 'gpu_name', label: text('GPU'), of: (o) => o.gpuName },
  country: { kind: 'choice', wire: 'geolocation', label: text('Location'), of: (o) => o.countryCode },
  gpuMaker: { kind: 'choice', wire: 'gpu_arch', label: text('GPU maker'), of: (o) => o.gpuArch },
  cpuKind: { kind: 'choice', wire: 'cpu_arch', label: text('CPU architecture'), of: (o) => o.cpuArch },
  machine: {
    kind: 'choice',
    wire: 'machine_id',
    label: text('Machine number'),
    numeric: true,
    of: (o) => numeral(o.machineId),
  },
  host: {
    kind: 'choice',
    wire: 'host_id',
    label: text('Host number'),
    numeric: true,
    of: (o) => numeral(o.hostId),
  },
  cluster: { kind: 'choice', wire: 'cluster_id', label: text('Cluster number'), numeric: true },
  mainboard: { kind: 'choice', wire: 'mobo_name', label: text('Mainboard') },
  system: { kind: 'choice', wire: 'os_version', label: text('Operating system version') },
} as const satisfies Record<string, ChoiceField>;

export const flagFields = {
  verified: { kind: 'flag', wire: 'verified', label: text('Verified by the service'), of: (o) => o.verified },
  datacenter: { kind: 'flag', wire: 'datacenter', label: text('In a data center'), of: (o) => o.datacenter },
  staticIp: { kind: 'flag', wire: 'static_ip', label: text('Fixed IP address'), of: (o) => o.staticIp },
  vm: { kind: 'flag', wire: 'vms_enabled', label: text('Can run virtual machines'), of: (o) => o.vmSupport },
  rentable: { kind: 'flag', wire: 'rentable', label: text('Free to rent'), of: (o) => o.rentable },
  rented: { kind: 'flag', wire: 'rented', label: text('Already rented by you') },
  external: { kind: 'flag', wire: 'external', label: text('Offered from another market') },
  avx: { kind: 'flag', wire: 'has_avx', label: text('CPU with AVX') },
  display: { kind: 'flag', wire: 'gpu_display_active', label: text('Display attached to the GPU') },
} as const satisfies Record<string, FlagField>;

function numeral(id: number | undefined): string | undefined {
  return id === undefined ? undefined : String(id);
}

export type NumberKey = keyof typeof numberFields;
export type ChoiceKey = keyof typeof choiceFields;
export type FlagKey = keyof typeof flagFields;
export type FieldKey = NumberKey | ChoiceKey | FlagKey;

export const numberKeys = Object.keys(numberFields) as readonly NumberKey[];
export const choiceKeys = Object.keys(choiceFields) as readonly ChoiceKey[];
export const flagKeys = Object.keys(flagFields) as readonly FlagKey[];
export const fieldKeys: readonly FieldKey[] = [...numberKeys, ...choiceKeys, ...flagKeys];

/** A range in the users' units that includes both ends. */
export interface NumberRange {
  readonly min?: number;
  readonly max?: number;
}
/** Accepts one of `oneOf` and none of the others. */
export interface Choice {
  readonly oneOf?: readonly string[];
  readonly noneOf?: readonly string[];
}

/** The filters of a search in the users' units. A missing field accepts any value. */
export type Filters = { readonly [Key in NumberKey]?: NumberRange } & {
  readonly [Key in ChoiceKey]?: Choice;
} & { readonly [Key in FlagKey]?: boolean };

export function numberField(key: NumberKey): NumberField {
  return numberFields[key];
}
/** Returns the largest value that an upper limit includes. */
export function upperLimit({ isShownWhole }: NumberField, max: number): number {
  return isShownWhole === true && Number.isInteger(max) ? max + 0.999 : max;
}
export function choiceField(key: ChoiceKey): ChoiceField {
  return choiceFields[key];
}
export function flagField(key: FlagKey): FlagField {
  return flagFields[key];
}
const fields: Readonly<Record<FieldKey, NumberField | ChoiceField | FlagField>> = {
  ...numberFields,
  ...choiceFields,
  ...flagFields,
};
export function searchField(key: FieldKey): NumberField | ChoiceField | FlagField {
  return fields[key];
}
export function fieldLabel(key: FieldKey): Text {
  return fields[key].label;
}

/**
 * The filters that the public command-line client applies by default
 * (docs/service/offers.md#defaults-of-the-public-client).
 */
export const defaultFilters: Filters = { verified: true, rentable: true, external: false };
