import type { RentalType } from './offer';
import type { FlagKey, NumberKey } from './searchFields';

/** Names that users type before or after a number. */
export const numberNames: Readonly<Record<string, NumberKey>> = {
  gpus: 'gpuCount',
  gpu: 'gpuCount',
  count: 'gpuCount',
  vram: 'gpuRamGb',
  mem: 'gpuRamGb',
  gpuram: 'gpuRamGb',
  total: 'gpuTotalRamGb',
  totalvram: 'gpuTotalRamGb',
  price: 'pricePerHour',
  dph: 'pricePerHour',
  usd: 'pricePerHour',
  rel: 'reliability',
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
  ghz: 'cpuGhz',
  ram: 'ramGb',
  disk: 'diskGb',
  ssd: 'diskGb',
  storage: 'diskGb',
  down: 'downMbit',
  dl: 'downMbit',
  up: 'upMbit',
  ul: 'upMbit',
  net: 'downMbit',
  d: 'days',
  day: 'days',
  days: 'days',
  duration: 'days',
  tflops: 'teraflops',
  dlperf: 'dlperf',
  value: 'value',
  machine_bw: 'gpuBandwidth',
};

export const flagNames: Readonly<Record<string, readonly [FlagKey, boolean]>> = {
  verified: ['verified', true],
  unverified: ['verified', false],
  datacenter: ['datacenter', true],
  dc: ['datacenter', true],
  secure: ['datacenter', true],
  static: ['staticIp', true],
  staticip: ['staticIp', true],
  vm: ['vm', true],
  vms: ['vm', true],
  avx: ['avx', true],
};

export const rentalNames: Readonly<Record<string, RentalType>> = {
  bid: 'interruptible',
  spot: 'interruptible',
  interruptible: 'interruptible',
  ondemand: 'on-demand',
  'on-demand': 'on-demand',
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
