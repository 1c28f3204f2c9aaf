import { machineFields, onlyFields, type Row } from '../market/offerRow';
import { round } from '../random';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { imageRuntype } from './runtype';

/**
 * The fields that the interface description names, and the id, for records without any other
 * (docs/service/instances.md#record).
 */
const documentedFields = ['id', 'actual_status', 'ssh_host', 'ssh_port'];

/** Returns a row of the lists and the single answer (docs/service/instances.md#record). */
export function instanceRow(world: World, instance: InstanceState): Row {
  const row = {
    id: instance.id,
    ...stateFields(world, instance),
    ...hardwareFields(world, instance),
    ...costFields(world, instance),
    ...addressFields(instance),
    template_id: instance.templateId,
    template_hash_id: instance.templateHash,
    template_name: instance.templateName,
    image_uuid: instance.image,
    image_args: instance.args,
    image_runtype: imageRuntype(instance.access),
    extra_env: Object.entries(instance.env),
    onstart: instance.onstart,
    jupyter_token: instance.jupyterToken,
    disk_space: instance.diskGb,
    volume_info: instance.volumes.map((volume) => ({
      volume_id: volume.volumeId,
      mount_path: volume.mountPath,
    })),
  };
  return world.options.minimalRecords ? onlyFields(row, documentedFields) : row;
}

function stateFields(world: World, instance: InstanceState): Row {
  const running = instance.actualStatus === 'running';
  const now = world.now();
  return {
    label: instance.label,
    actual_status: instance.actualStatus,
    cur_state: running && instance.intendedStatus === 'running' ? 'running' : currentState(instance),
    next_state: instance.intendedStatus,
    intended_status: instance.intendedStatus,
    status_msg: instance.statusMessage,
    start_date: instance.createdAt,
    uptime_mins: running && instance.startedAt !== null ? round((now - instance.startedAt) / 60, 2) : null,
    duration: round(now - instance.createdAt, 2),
    ...telemetry(instance, running, now),
  };
}

/**
 * Returns the contract's state: the record of the service, for any report of the
 * machine (docs/service/instances.md#intended-state).
 */
function currentState(instance: InstanceState): string {
  return instance.intendedStatus === 'stopped' || instance.failed || instance.outbid || instance.waiting
    ? 'stopped'
    : 'running';
}

/**
 * Returns believable figures while the instance runs; unknown ones are null or -1
 * (docs/service/README.md#tolerant-reading).
 */
function telemetry(instance: InstanceState, running: boolean, now: number): Row {
  const wave = Math.sin(now / 97 + instance.id);
  return {
    gpu_util: running ? (instance.gpuUse ?? Math.round(46 + 42 * wave)) : null,
    gpu_temp: running ? Math.round(58 + 11 * wave) : null,
    cpu_util: running ? round(0.2 + 0.15 * wave, 3) : 0,
    mem_usage: running ? round(6 + 2 * wave, 2) : null,
    vmem_usage: running ? round(0.4 + 0.3 * wave, 3) : null,
    disk_usage: running ? round(Math.min(instance.diskGb * 0.6, 4.2 + instance.usage.length * 0.1), 2) : -1,
    disk_util: running ? 0.42 : -1,
  };
}

function hardwareFields(world: World, instance: InstanceState): Row {
  const slice = world.market.sliceOf(instance);
  const { machine, gpus } = slice;
  const { model } = machine;
  return {
    ...machineFields(machine),
    bundle_id: machine.id * 100 + gpus,
    num_gpus: gpus,
    gpu_name: model.name,
    gpu_ram: model.ramMb,
    gpu_totalram: model.ramMb * gpus,
    gpu_frac: gpus / machine.gpus,
    gpu_arch: 'nvidia',
    gpu_lanes: 16,
    gpu_mem_bw: model.memoryBandwidth,
    cpu_cores_effective: round((machine.cpu.cores * gpus) / machine.gpus, 1),
    mem_limit: round(((machine.cpuRamMb / 1024) * gpus) / machine.gpus, 1),
    dlperf: round(model.dlperf * gpus, 3),
    total_flops: round(model.tflops * gpus, 2),
    pci_gen: model.pciGen,
    rentable: false,
    end_date: instance.hostEndsAt ?? world.market.listedUntil(machine),
    host_run_time: 15_552_000,
    client_run_time: 1.1,
    time_remaining: '',
    country_code: machine.geolocation?.split(',').at(-1)?.trim() ?? null,
  };
}

function costFields(world: World, instance: InstanceState): Row {
  const { gpu, disk } = instance.rates;
  const slice = world.market.sliceOf(instance);
  const costs = {
    gpuCostPerHour: gpu,
    diskHour: disk,
    totalHour: gpu + disk,
    discountTotalHour: 0,
    discountedTotalPerHour: gpu + disk,
  };
  return {
    is_bid: instance.isBid,
    dph_base: round(gpu, 6),
    dph_total: round(gpu + disk, 6),
    min_bid: round(world.market.minBidPerGpu(slice.machine) * slice.gpus, 6),
    storage_total_cost: round(disk, 8),
    credit_balance: null,
    credit_discount: null,
    credit_discount_max: slice.machine.discount,
    search: costs,
    instance: costs,
  };
}

/**
 * Returns the SSH address. `ports` is left out while no port is open, because null crashes some clients
 * (docs/service/README.md#tolerant-reading).
 */
function addressFields(instance: InstanceState): Row {
  const running = instance.actualStatus === 'running';
  const ports = Object.entries(running ? instance.directPorts : {});
  const proxyPort = instance.proxyPort ?? 0;
  return {
    ssh_idx: '1',
    ssh_host: instance.access.ssh ? '127.0.0.1' : null,
    // Clients add one to the port where Jupyter is on, so both ports answer
    // (docs/service/instances.md#ssh-address).
    ssh_port: instance.access.ssh && proxyPort > 0 ? proxyPort - (instance.access.jupyter ? 1 : 0) : null,
    machine_dir_ssh_port: null,
    public_ipaddr: running ? '127.0.0.1' : null,
    local_ipaddrs: running ? '127.0.0.1 \n' : null,
    direct_port_start: ports.length > 0 ? Math.min(...ports.map(([, port]) => port)) : -1,
    direct_port_end: ports.length > 0 ? Math.max(...ports.map(([, port]) => port)) : -1,
    direct_port_count: ports.length,
    ...(ports.length > 0
      ? {
          ports: Object.fromEntries(
            ports.map(([name, port]) => [
              // Beyond all ports: the same free one inside and outside (docs/service/renting.md#ports).
              Number.parseInt(name, 10) > 65_535 ? `${port}/tcp` : name,
              [{ HostIp: '0.0.0.0', HostPort: String(port) }],
            ]),
          ),
        }
      : {}),
  };
}
