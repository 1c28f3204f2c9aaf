import * as z from 'zod';
import { micros } from '../money';

const portMapping = z
  .object({
    /** The port in the container, for example 8080. */
    containerPort: z.number(),
    protocol: z.string(),
    hostPort: z.number(),
  })
  .readonly();
export type PortMapping = z.infer<typeof portMapping>;

/** A rented machine as last reported. A field is `undefined` if the record lacks it. */
export const instanceShape = z
  .object({
    id: z.number(),
    /** True if the record was made from the rental, because no answer has included the instance yet. */
    isExpected: z.literal(true).exactOptional(),
    /** True if no record states what the instance costs while it runs, so that `totalPerHour` is that of the rental. */
    isPriceOfRental: z.literal(true).exactOptional(),
    machineId: z.number().exactOptional(),
    hostId: z.number().exactOptional(),
    /** As the service stores it, with our rental marker. Show `displayLabel` instead. */
    label: z.string().exactOptional(),
    /** `null` is documented and means that the instance is being provisioned. */
    actualStatus: z.string().nullable().exactOptional(),
    currentState: z.string().exactOptional(),
    nextState: z.string().exactOptional(),
    intendedStatus: z.string().exactOptional(),
    statusMessage: z.string().exactOptional(),
    templateId: z.number().exactOptional(),
    templateHash: z.string().exactOptional(),
    templateName: z.string().exactOptional(),
    image: z.string().exactOptional(),
    /** Compound text such as "ssh ssh_direc ssh_proxy". */
    runtype: z.string().exactOptional(),
    /** Names and values. Values may be secret and are never logged. */
    env: z
      .array(z.tuple([z.string(), z.string()]).readonly())
      .readonly()
      .exactOptional(),
    onstart: z.string().exactOptional(),
    /** The arguments of the container, which may hold secrets; one alone may be the whole line as it was sent. */
    args: z.array(z.string()).readonly().exactOptional(),
    jupyterToken: z.string().exactOptional(),
    sshHost: z.string().exactOptional(),
    sshPort: z.number().exactOptional(),
    publicIp: z.string().exactOptional(),
    ports: z.array(portMapping).readonly().exactOptional(),
    /** Unix seconds. */
    startedAt: z.number().exactOptional(),
    endsAt: z.number().exactOptional(),
    uptimeMinutes: z.number().exactOptional(),
    gpuCount: z.number().exactOptional(),
    gpuName: z.string().exactOptional(),
    gpuRamMb: z.number().exactOptional(),
    gpuUtilPercent: z.number().exactOptional(),
    gpuTemperature: z.number().exactOptional(),
    cpuCores: z.number().exactOptional(),
    cpuRamMb: z.number().exactOptional(),
    cpuUtilPercent: z.number().exactOptional(),
    memoryUsedGb: z.number().exactOptional(),
    memoryLimitGb: z.number().exactOptional(),
    diskSpaceGb: z.number().exactOptional(),
    diskUsedGb: z.number().exactOptional(),
    /** The whole cost while running, per hour. */
    totalPerHour: micros.exactOptional(),
    gpuPerHour: micros.exactOptional(),
    /** The cost while stopped, per hour. */
    storagePerHour: micros.exactOptional(),
    /** The same for 720 hours, which is more precise because disks are priced by the month. */
    storagePerMonth: micros.exactOptional(),
    inetUpPerGb: micros.exactOptional(),
    inetDownPerGb: micros.exactOptional(),
    /** Mbit/s, as the host measured it. */
    inetDownMbit: z.number().exactOptional(),
    isInterruptible: z.boolean().exactOptional(),
    bidPerHour: micros.exactOptional(),
    /** The largest discount for a deposit, and the one in force, as fractions. */
    discountMax: z.number().exactOptional(),
    discountNow: z.number().exactOptional(),
    reliability: z.number().exactOptional(),
    location: z.string().exactOptional(),
    cudaVersion: z.number().exactOptional(),
    driverVersion: z.string().exactOptional(),
    volumes: z.array(z.unknown()).readonly().exactOptional(),
  })
  .readonly();
export type Instance = z.infer<typeof instanceShape>;

/** Returns whether the rental has ended by its date, after which the instance can't be started again. */
export function isPastEnd({ endsAt }: Pick<Instance, 'endsAt'>, now: number): boolean {
  return endsAt !== undefined && endsAt * 1000 <= now;
}
