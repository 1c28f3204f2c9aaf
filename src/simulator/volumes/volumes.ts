import { BodyReader } from '../body';
import type { Machine } from '../market/machines';
import { monthHours, type Market } from '../market/market';
import type { BilledVolume } from '../ports';
import { round } from '../random';
import { ServiceError } from '../route';
import type { VolumeMount } from '../state';
import type { World } from '../world';

/** See docs/service/volumes.md#record. Times are Unix seconds, sizes GB. */
interface Volume {
  id: number;
  account_id: number;
  label: string;
  disk_space: number;
  machine_id: number;
  start_date: number;
  instances: number[];
  billed_until: number;
}

interface VolumeState {
  volumes: Volume[];
  /** Deleted ones, which have charges; missing in the state of an older version. */
  ended?: Volume[];
}

const firstOfferId = 31_700_000;
/** How often the disk of volumes is paid for. */
const billingSeconds = 600;

/** The volumes of all accounts, their offers and what they cost. */
export class Volumes {
  private readonly state: VolumeState;

  constructor(
    private readonly world: World,
    private readonly market: Market,
  ) {
    this.state = world.section<VolumeState>('volumes', () => ({ volumes: [] }));
    this.billRegularly();
  }

  /** Two machines of three offer part of their disk as volumes. */
  offers(storageGb: number): readonly Record<string, unknown>[] {
    return this.market.machines
      .map((machine, index) => ({ machine, id: firstOfferId + index }))
      .filter(({ id }) => id % 3 !== 0)
      .map(({ machine, id }) => this.offerRow(machine, id, storageGb));
  }

  list(accountId: number, type: string | null): readonly Record<string, unknown>[] {
    this.bill();
    // The service withdrew network volumes in July 2026, so there are none (docs/service/volumes.md#list).
    if (type === 'network_volume') {
      return [];
    }
    return this.state.volumes
      .filter((volume) => volume.account_id === accountId)
      .map((volume) => this.volumeRow(volume));
  }

  create(
    accountId: number,
    wanted: { offerId: number | undefined; size: number | undefined; name: string | undefined },
  ): Volume {
    const machine = wanted.offerId === undefined ? undefined : this.machineOf(wanted.offerId);
    if (!machine) {
      throw new ServiceError(404, 'no_such_ask', 'This volume offer is no longer available.', {
        ask_id: wanted.offerId ?? null,
      });
    }
    if (wanted.size === undefined || wanted.size < 1 || wanted.size > this.freeGb(machine)) {
      throw new ServiceError(
        400,
        'invalid_args',
        `size must be a number of GB from 1 to ${Math.floor(this.freeGb(machine))}.`,
      );
    }
    if (wanted.name !== undefined && !/^\w{1,64}$/.test(wanted.name)) {
      throw new ServiceError(422, 'invalid_args', 'name must be 1 to 64 letters, digits and underscores.');
    }
    const id = this.world.nextId('volume', 20_118_481);
    const volume: Volume = {
      id,
      account_id: accountId,
      label: wanted.name ?? '',
      disk_space: wanted.size,
      machine_id: machine.id,
      start_date: this.world.now(),
      instances: [],
      billed_until: this.world.now(),
    };
    this.state.volumes.push(volume);
    this.world.changed();
    return volume;
  }

  /** See docs/service/volumes.md#clone. */
  clone(
    accountId: number,
    wanted: { sourceId: number | undefined; offerId: number | undefined; size: number | undefined },
  ): Volume {
    const source = this.own(accountId, wanted.sourceId ?? 0);
    const size = wanted.size ?? source.disk_space;
    if (size < source.disk_space) {
      throw new ServiceError(400, 'invalid_args', 'size below source');
    }
    return this.create(accountId, { offerId: wanted.offerId, size, name: undefined });
  }

  remove(accountId: number, id: number): void {
    const volume = this.own(accountId, id);
    if (volume.instances.length > 0) {
      throw new ServiceError(
        409,
        'volume_in_use',
        `Volume ${id} is in use by instance ${volume.instances.join(', ')}. Destroy it first.`,
      );
    }
    this.bill();
    this.state.volumes = this.state.volumes.filter((other) => other !== volume);
    this.state.ended = [...(this.state.ended ?? []), volume];
    this.world.changed();
  }

  has(accountId: number, id: number): boolean {
    return this.state.volumes.some((volume) => volume.id === id && volume.account_id === accountId);
  }

  billed(accountId: number): readonly BilledVolume[] {
    this.bill();
    return [...this.state.volumes, ...(this.state.ended ?? [])]
      .filter((volume) => volume.account_id === accountId)
      .map((volume) => ({
        id: volume.id,
        label: volume.label,
        from: volume.start_date,
        until: volume.billed_until,
        perHour: this.perHour(this.market.machine(volume.machine_id), volume.disk_space),
      }));
  }

  /**
   * Links a volume, which lives on one machine, and so does an instance with it
   * (docs/service/renting.md#volumes).
   */
  attach(
    fields: Readonly<Record<string, unknown>>,
    rental: { accountId: number; machineId: number; instanceId: number },
  ): VolumeMount {
    const wanted = BodyReader.of(fields);
    const volumeId = wanted.integer('volume_id');
    const mountPath = wanted.text('mount_path') ?? '';
    if (volumeId === undefined) {
      throw new ServiceError(400, 'invalid_args', 'volume_info.volume_id is required.');
    }
    if (!mountPath.startsWith('/') || mountPath === '/' || mountPath.includes('..')) {
      throw new ServiceError(400, 'invalid_args', 'volume_info.mount_path must be an absolute path.');
    }
    const volume = wanted.flag('create_new')
      ? this.createFor(volumeId, wanted, rental)
      : this.linked(volumeId, rental);
    volume.instances.push(rental.instanceId);
    this.world.changed();
    return { volumeId: volume.id, mountPath };
  }

  release(instanceId: number): void {
    for (const volume of this.state.volumes) {
      volume.instances = volume.instances.filter((id) => id !== instanceId);
    }
    this.world.changed();
  }

  private createFor(
    offerId: number,
    wanted: BodyReader,
    rental: { accountId: number; machineId: number },
  ): Volume {
    const machine = this.machineOf(offerId);
    if (machine && machine.id !== rental.machineId) {
      throw otherMachine();
    }
    return this.create(rental.accountId, {
      offerId,
      size: wanted.number('size'),
      name: wanted.text('name'),
    });
  }

  private linked(id: number, rental: { accountId: number; machineId: number }): Volume {
    const volume = this.own(rental.accountId, id);
    if (volume.machine_id !== rental.machineId) {
      throw otherMachine();
    }
    return volume;
  }

  private own(accountId: number, id: number): Volume {
    const volume = this.state.volumes.find((each) => each.id === id && each.account_id === accountId);
    if (!volume) {
      throw new ServiceError(404, 'no_such_volume', `There is no volume ${id}.`);
    }
    return volume;
  }

  private machineOf(offerId: number): Machine | undefined {
    return offerId % 3 === 0 ? undefined : this.market.machines[offerId - firstOfferId];
  }

  private freeGb(machine: Machine): number {
    const used = this.state.volumes.filter((volume) => volume.machine_id === machine.id);
    return round(machine.diskGb / 2 - used.reduce((sum, volume) => sum + volume.disk_space, 0), 1);
  }

  private perHour(machine: Machine | undefined, sizeGb: number): number {
    return ((machine?.storageCost ?? 0) * sizeGb) / monthHours;
  }

  /** Disk is paid for from creation on, used or not. */
  private bill(): void {
    const now = this.world.now();
    for (const volume of this.state.volumes) {
      const hours = (now - volume.billed_until) / 3600;
      const account = this.world.account(volume.account_id);
      const amount = this.perHour(this.market.machine(volume.machine_id), volume.disk_space) * hours;
      account.credit -= amount;
      account.spent += amount;
      volume.billed_until = now;
    }
    if (this.state.volumes.length > 0) {
      this.world.changed();
    }
  }

  private billRegularly(): void {
    this.world.clock.schedule(() => {
      this.bill();
      this.billRegularly();
    }, billingSeconds * 1000);
  }

  private volumeRow(volume: Volume): Record<string, unknown> {
    const machine = this.market.machine(volume.machine_id);
    const documented = { id: volume.id };
    return this.world.options.minimalRecords
      ? documented
      : {
          ...documented,
          label: volume.label,
          disk_space: volume.disk_space,
          status: 'active',
          start_date: volume.start_date,
          ...(machine && { end_date: this.market.listedUntil(machine) }),
          machine_id: volume.machine_id,
          instances: [...volume.instances],
          storage_total_cost: round(this.perHour(machine, volume.disk_space), 6),
          ...(machine && placeFields(machine)),
        };
  }

  private offerRow(machine: Machine, id: number, storageGb: number): Record<string, unknown> {
    const end = this.market.listedUntil(machine);
    return {
      id,
      ask_contract_id: id,
      machine_id: machine.id,
      disk_space: this.freeGb(machine),
      disk_bw: machine.diskBandwidth,
      storage_cost: machine.storageCost,
      storage_total_cost: round(this.perHour(machine, storageGb), 6),
      ...placeFields(machine),
      reliability: machine.reliability,
      verified: machine.verification === 'verified',
      external: machine.external,
      duration: round(end - this.world.now(), 2),
      start_date: end - machine.listedDays * 86_400,
      end_date: end,
    };
  }
}

function placeFields(machine: Machine): Record<string, unknown> {
  return {
    host_id: machine.hostId,
    disk_name: machine.diskName,
    inet_up: machine.inetUp,
    inet_down: machine.inetDown,
    reliability2: machine.reliability,
    verification: machine.verification,
    geolocation: machine.geolocation,
    public_ipaddr: machine.publicIp,
    static_ip: machine.staticIp,
    cpu_name: machine.cpu.name,
    cuda_max_good: machine.cuda,
    driver_version: machine.driver,
    mobo_name: machine.mobo,
    os_version: machine.os,
  };
}

function otherMachine(): ServiceError {
  return new ServiceError(400, 'invalid_args', 'This volume is on another machine than the offer.');
}
