import type { Micros } from '../money';

export interface PortMapping {
  /** Container side, for example 8080. */
  readonly containerPort: number;
  readonly protocol: string;
  readonly hostPort: number;
}

/** A rented machine as last reported. `undefined` means that the record lacks the field. */
export interface Instance {
  readonly id: number;
  readonly machineId?: number;
  readonly hostId?: number;
  /** As the service keeps it, our rental marker included; show `displayLabel`. */
  readonly label?: string;
  /** `null` is documented: being provisioned. */
  readonly actualStatus?: string | null;
  readonly currentState?: string;
  readonly nextState?: string;
  readonly intendedStatus?: string;
  readonly statusMessage?: string;
  readonly templateId?: number;
  readonly templateHash?: string;
  readonly templateName?: string;
  readonly image?: string;
  /** Compound text such as "ssh ssh_direc ssh_proxy". */
  readonly runtype?: string;
  /** Names and values; values may be secret and are never logged. */
  readonly env?: readonly (readonly [name: string, value: string])[];
  readonly onstart?: string;
  readonly jupyterToken?: string;
  readonly sshHost?: string;
  readonly sshPort?: number;
  readonly publicIp?: string;
  readonly ports?: readonly PortMapping[];
  /** Unix seconds. */
  readonly startedAt?: number;
  readonly endsAt?: number;
  readonly uptimeMinutes?: number;
  readonly gpuCount?: number;
  readonly gpuName?: string;
  readonly gpuRamMb?: number;
  readonly gpuUtilPercent?: number;
  readonly gpuTemperature?: number;
  readonly cpuCores?: number;
  readonly cpuRamMb?: number;
  readonly cpuUtilPercent?: number;
  readonly memoryUsedGb?: number;
  readonly memoryLimitGb?: number;
  readonly diskSpaceGb?: number;
  readonly diskUsedGb?: number;
  /** All that runs costs, an hour. */
  readonly totalPerHour?: Micros;
  readonly gpuPerHour?: Micros;
  /** What goes on costing while stopped, an hour. */
  readonly storagePerHour?: Micros;
  /** The same for 720 hours, which is finer: a disk is priced by the month. */
  readonly storagePerMonth?: Micros;
  readonly inetUpPerGb?: Micros;
  readonly inetDownPerGb?: Micros;
  readonly isInterruptible?: boolean;
  readonly bidPerHour?: Micros;
  readonly reliability?: number;
  readonly location?: string;
  readonly cudaVersion?: number;
  readonly driverVersion?: string;
  readonly volumes?: readonly unknown[];
}
