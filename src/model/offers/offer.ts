import type { Micros } from '../money';

/** A machine on the market. A field is `undefined` if the service does not report it. */
export interface Offer {
  /** Temporary: identifies this offer, not the machine. */
  readonly id: number;
  readonly machineId?: number;
  readonly hostId?: number;
  readonly gpuName?: string;
  readonly gpuCount?: number;
  /** Memory of one GPU in MB, as sent. */
  readonly gpuRamMb?: number;
  readonly gpuArch?: string;
  readonly computeCapability?: number;
  readonly cudaVersion?: number;
  readonly driverVersion?: string;
  readonly teraflops?: number;
  readonly dlperf?: number;
  readonly dlperfPerDollar?: number;
  readonly score?: number;
  readonly cpuName?: string;
  readonly cpuCores?: number;
  readonly cpuRamMb?: number;
  readonly cpuArch?: string;
  readonly diskSpaceGb?: number;
  readonly diskMbPerSecond?: number;
  readonly inetUpMbit?: number;
  readonly inetDownMbit?: number;
  readonly inetUpPerGb?: Micros;
  readonly inetDownPerGb?: Micros;
  readonly directPorts?: number;
  readonly staticIp?: boolean;
  /** As sent, for example "Sweden, SE". */
  readonly location?: string;
  /** Two capital letters (ISO 3166), if the location names a country. */
  readonly countryCode?: string;
  /** GPU without disk, per hour. */
  readonly gpuPerHour?: Micros;
  /** GPU with the disk that the search allocated, per hour. */
  readonly totalPerHour?: Micros;
  readonly storagePerGbMonth?: Micros;
  readonly minBidPerHour?: Micros;
  readonly isBid?: boolean;
  readonly rentable?: boolean;
  readonly reliability?: number;
  readonly verified?: boolean;
  readonly datacenter?: boolean;
  /** How long the host still offers the machine (s). */
  readonly durationSeconds?: number;
  readonly vmSupport?: boolean;
}

export type RentalType = 'on-demand' | 'interruptible';
