import type { Instance, PortMapping } from '../model/instances/instance';
import { hoursPerMonth, times, type Micros } from '../model/money';
import { withoutGuard } from '../model/rentals/birthGuard';
import { defined } from '../util/defined';
import type { WireInstance } from '../wire/instance';
import { known, nonEmpty, port, price, shareOf } from './modelValues';
import { unpackOnstart } from './onstart';

/** Converts one record; missing and impossible values are left out, never 0. */
export function toInstance(wire: WireInstance): Instance {
  return defined<Instance>({
    ...facts(wire),
    env: envPairs(wire.extra_env),
    onstart: nonEmpty(wire.onstart && withoutGuard(unpackOnstart(wire.onstart))),
    args: argsOf(wire.image_args),
    jupyterToken: nonEmpty(wire.jupyter_token),
  });
}

/**
 * Converts one record of a list, which is sent to other windows and stored: it has the names
 * of environment variables but not their values, and nothing else that may hold a secret.
 */
export function toListed(wire: WireInstance): Instance {
  return defined<Instance>({
    ...facts(wire),
    env: envPairs(wire.extra_env)?.map(([name]) => [name, ''] as const),
  });
}

function facts(wire: WireInstance) {
  return {
    id: wire.id,
    machineId: wire.machine_id,
    hostId: wire.host_id,
    label: nonEmpty(wire.label),
    actualStatus: wire.actual_status,
    currentState: nonEmpty(wire.cur_state),
    nextState: nonEmpty(wire.next_state),
    intendedStatus: nonEmpty(wire.intended_status),
    statusMessage: nonEmpty(wire.status_msg),
    templateId: wire.template_id,
    templateHash: nonEmpty(wire.template_hash_id),
    templateName: nonEmpty(wire.template_name),
    image: nonEmpty(wire.image_uuid),
    runtype: nonEmpty(wire.image_runtype),
    ...connection(wire),
    ...telemetry(wire),
    ...costs(wire),
    reliability: known(wire.reliability2),
    location: nonEmpty(wire.geolocation),
    cudaVersion: known(wire.cuda_max_good),
    driverVersion: nonEmpty(wire.driver_version),
    volumes: Array.isArray(wire.volume_info) ? (wire.volume_info as unknown[]) : undefined,
  };
}

function connection(wire: WireInstance) {
  return {
    sshHost: nonEmpty(wire.ssh_host),
    sshPort: port(wire.ssh_port),
    publicIp: nonEmpty(wire.public_ipaddr),
    ports: portMappings(wire.ports),
  };
}

function telemetry(wire: WireInstance) {
  return {
    startedAt: known(wire.start_date),
    endsAt: known(wire.end_date),
    uptimeMinutes: known(wire.uptime_mins),
    gpuCount: known(wire.num_gpus),
    gpuName: nonEmpty(wire.gpu_name),
    gpuRamMb: known(wire.gpu_ram),
    gpuUtilPercent: known(wire.gpu_util),
    gpuTemperature: known(wire.gpu_temp),
    cpuCores: known(wire.cpu_cores_effective),
    cpuRamMb: shareOf(wire.cpu_ram, wire.gpu_frac),
    // The wire has a fraction (docs/service/instances.md#record).
    cpuUtilPercent: wire.cpu_util === undefined ? undefined : known(wire.cpu_util * 100),
    memoryUsedGb: known(wire.mem_usage),
    memoryLimitGb: known(wire.mem_limit),
    diskSpaceGb: known(wire.disk_space),
    diskUsedGb: known(wire.disk_usage),
  };
}

function costs(wire: WireInstance) {
  return {
    totalPerHour: price(wire.dph_total),
    gpuPerHour: price(wire.dph_base),
    storagePerHour: storagePerHour(wire),
    storagePerMonth: storagePerMonth(wire),
    inetUpPerGb: price(wire.inet_up_cost),
    inetDownPerGb: price(wire.inet_down_cost),
    inetDownMbit: known(wire.inet_down),
    isInterruptible: wire.is_bid,
    discountMax: fraction(wire.credit_discount_max),
    discountNow: fraction(wire.credit_discount),
    // The machine's minimum bid is lower than what is paid (docs/service/instances.md#record).
    bidPerHour: wire.is_bid === true ? price(wire.dph_base) : undefined,
  };
}

function fraction(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && value < 1 ? value : undefined;
}

/** The disk's price is a GB and month, so the month is the exact figure and the hour the rounded one. */
function storagePerMonth(wire: WireInstance): Micros | undefined {
  const perGbMonth = price(wire.storage_cost);
  const gigabytes = known(wire.disk_space);
  const computed =
    perGbMonth === undefined || gigabytes === undefined ? undefined : times(perGbMonth, gigabytes);
  const stated = wire.storage_total_cost;
  if (stated === undefined || stated < 0) {
    return computed;
  }
  // The computed price is used if it agrees with the stated hourly price; otherwise the stated price is.
  const month = price(stated * hoursPerMonth);
  const agrees = computed !== undefined && Math.abs(computed / hoursPerMonth - stated * 1e6) <= 1;
  return agrees ? computed : month;
}

/** Returns the stated price, else the price of a GB a month, which a stopped instance still costs. */
function storagePerHour(wire: WireInstance): Micros | undefined {
  const perGbMonth = price(wire.storage_cost);
  const gigabytes = known(wire.disk_space);
  return (
    price(wire.storage_total_cost) ??
    (perGbMonth === undefined || gigabytes === undefined
      ? undefined
      : times(perGbMonth, gigabytes / hoursPerMonth))
  );
}

function portMappings(ports: WireInstance['ports']): readonly PortMapping[] | undefined {
  if (!ports) {
    return undefined;
  }
  return Object.entries(ports).flatMap(([name, bindings]) => {
    const [, number, protocol] = /^(\d{1,5})\/([a-z]{2,4})$/.exec(name) ?? [];
    const containerPort = port(Number(number));
    const hostPort = port(bindings?.[0]?.HostPort);
    return containerPort === undefined || hostPort === undefined || protocol === undefined
      ? []
      : [{ containerPort, protocol, hostPort }];
  });
}

/**
 * Reads pairs, texts such as "A=1", or an object: three forms of the same list
 * (docs/service/templates.md#environment).
 */
function envPairs(env: unknown): Instance['env'] {
  if (Array.isArray(env)) {
    return (env as unknown[]).flatMap((entry) => {
      if (Array.isArray(entry)) {
        const [name, value] = entry as unknown[];
        return typeof name === 'string' ? [[name, asText(value)] as const] : [];
      }
      if (typeof entry !== 'string' || entry === '') {
        return [];
      }
      const at = entry.indexOf('=');
      return [at < 0 ? ([entry, ''] as const) : ([entry.slice(0, at), entry.slice(at + 1)] as const)];
    });
  }
  return typeof env === 'object' && env !== null
    ? Object.entries(env).map(([name, value]) => [name, asText(value)] as const)
    : undefined;
}

/** Reads a list of arguments, or all of them in one text (docs/service/instances.md#record). */
function argsOf(args: unknown): Instance['args'] {
  const words = (Array.isArray(args) ? (args as unknown[]) : [args]).filter(
    (word) => typeof word === 'string',
  );
  return words.some((word) => word !== '') ? words : undefined;
}

function asText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';
}
