import type { RentalType } from './offer';
import type { FlagKey, NumberKey } from './searchFields';

/** Returns the member of a table, but none that every object has. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Names that users type before or after a number. */
export const numberNames: Readonly<Record<string, NumberKey>> = {
  gpus: 'gpuCount',
  gpu: 'gpuCount',
  count: 'gpuCount',
  vram: 'gpuRamGb',
  memory: 'gpuRamGb',
  mem: 'gpuRamGb',
  gpuram: 'gpuRamGb',
  total: 'gpuTotalRamGb',
  totalvram: 'gpuTotalRamGb',
  price: 'pricePerHour',
  dph: 'pricePerHour',
  usd: 'pricePerHour',
  cost: 'pricePerHour',
  budget: 'pricePerHour',
  rel: 'reliability',
  uptime: 'reliability',
  reliability: 'reliability',
  cuda: 'cuda',
  cc: 'computeCapability',
  driver: 'driver',
  ports: 'ports',
  port: 'ports',
  cores: 'cpuCores',
  core: 'cpuCores',
  cpu: 'cpuCores',
  cpus: 'cpuCores',
  vcpu: 'cpuCores',
  vcpus: 'cpuCores',
  threads: 'cpuCores',
  ghz: 'cpuGhz',
  ram: 'ramGb',
  disk: 'diskGb',
  ssd: 'diskGb',
  nvme: 'diskGb',
  storage: 'diskGb',
  down: 'downMbit',
  download: 'downMbit',
  dl: 'downMbit',
  up: 'upMbit',
  upload: 'upMbit',
  ul: 'upMbit',
  net: 'downMbit',
  bandwidth: 'downMbit',
  d: 'days',
  day: 'days',
  days: 'days',
  duration: 'days',
  tflops: 'teraflops',
  dlperf: 'dlperf',
  value: 'value',
  machine_bw: 'gpuBandwidth',
  // As the service and its command-line client call them; amounts are in the users' units.
  num_gpus: 'gpuCount',
  gpu_ram: 'gpuRamGb',
  dph_total: 'pricePerHour',
  cuda_vers: 'cuda',
  cuda_max_good: 'cuda',
  direct_port_count: 'ports',
  cpu_cores: 'cpuCores',
  cpu_cores_effective: 'cpuCores',
  cpu_ram: 'ramGb',
  disk_space: 'diskGb',
  inet_down: 'downMbit',
  inet_up: 'upMbit',
};

export const flagNames: Readonly<Record<string, readonly [FlagKey, boolean]>> = {
  verified: ['verified', true],
  unverified: ['verified', false],
  datacenter: ['datacenter', true],
  dc: ['datacenter', true],
  secure: ['datacenter', true],
  securecloud: ['datacenter', true],
  static: ['staticIp', true],
  staticip: ['staticIp', true],
  fixedip: ['staticIp', true],
  vm: ['vm', true],
  vms: ['vm', true],
  avx: ['avx', true],
};

export const rentalNames: Readonly<Record<string, RentalType>> = {
  bid: 'interruptible',
  spot: 'interruptible',
  interruptible: 'interruptible',
  preemptible: 'interruptible',
  ondemand: 'on-demand',
};

/** Factors that convert a typed unit to the unit of its field; the others are that unit already. */
export const unitScales: Readonly<Record<string, number>> = {
  tb: 1000,
  mb: 0.001,
  gbit: 1000,
  gbps: 1000,
  week: 7,
  weeks: 7,
  w: 7,
  month: 30,
  months: 30,
  h: 1 / 24,
};
