import type { Micros } from '../../model/money';

/**
 * A machine that the account rents out (docs/service/machines.md#record). `undefined` means that the service
 * did not state it.
 */
export interface Machine {
  readonly id: number;
  readonly hostname?: string;
  readonly gpuCount?: number;
  readonly gpuName?: string;
  readonly diskSpaceGb?: number;
  readonly driverVersion?: string;
  readonly reliability?: number;
  readonly verification?: string;
  readonly publicIp?: string;
  readonly location?: string;
  readonly isListed?: boolean;
  /** For one GPU and hour. */
  readonly gpuPerHour?: Micros;
  readonly storagePerGbMonth?: Micros;
  readonly inetUpPerGb?: Micros;
  readonly inetDownPerGb?: Micros;
  /** For one GPU and hour. */
  readonly minBidPerHour?: Micros;
  /** One letter a GPU, for example `D x`. */
  readonly occupancy?: string;
  /** Seconds since the last sign of the machine. */
  readonly silentSeconds?: number;
  /** Unix seconds until which it is offered. */
  readonly listedUntil?: number;
  /** Maintenance that is scheduled, where the service lists it. */
  readonly maintenance?: readonly ScheduledMaintenance[];
}

/** Times are milliseconds since 1970. */
export interface ScheduledMaintenance {
  /** Absent where it is part of the record of its machine. */
  readonly id?: number;
  readonly machineId?: number;
  readonly startsAt?: number;
  readonly endsAt?: number;
  /** One of `maintenanceCategories`, or another word of the service. */
  readonly category?: string;
  readonly reason?: string;
}

export const maintenanceCategories = ['power', 'internet', 'disk', 'gpu', 'software', 'other'] as const;
export type MaintenanceCategory = (typeof maintenanceCategories)[number];

export interface MaintenancePlan {
  /** Milliseconds since 1970. */
  readonly startsAt: number;
  readonly hours: number;
  readonly reason: string;
  readonly category: MaintenanceCategory;
}
