import type { Machine } from '../market/machines';
import type { Market } from '../market/market';
import { round } from '../random';
import type { World } from '../world';

/** A maintenance window; times are Unix seconds. */
export interface Maintenance {
  id: number;
  machine_id: number;
  start_time: number;
  end_time: number;
  duration_hours: number;
  maintenance_category: string;
  maintenance_reason: string;
}

export interface HostingState {
  /** Dollars an hour and GPU, by machine, where the host has set it. */
  minBids: Record<string, number>;
  maintenance: Maintenance[];
}

/** The machines that an account rents out; none for accounts that do not host. */
export function machinesOf(world: World, market: Market, accountId: number): readonly Machine[] {
  const { hostId } = world.account(accountId);
  return hostId === undefined ? [] : market.machines.filter((machine) => machine.hostId === hostId);
}

/**
 * Returns one letter for each GPU: D on demand, I interruptible, x free (docs/service/machines.md#record).
 */
function occupancy(world: World, machine: Machine, market: Market): string[] {
  const letters = Array<string>(machine.taken).fill('D');
  for (const instance of world.instances) {
    if (instance.machineId === machine.id && instance.intendedStatus === 'running' && !instance.failed) {
      letters.push(...Array<string>(market.sliceOf(instance).gpus).fill(instance.isBid ? 'I' : 'D'));
    }
  }
  return [...letters, ...Array<string>(Math.max(0, machine.gpus - letters.length)).fill('x')].slice(
    0,
    machine.gpus,
  );
}

/** Returns a row of GET machines (docs/service/machines.md#record). */
export function machineRow(
  world: World,
  market: Market,
  state: HostingState,
  machine: Machine,
): Record<string, unknown> {
  if (world.options.minimalRecords) {
    return { id: machine.id };
  }
  const gpus = occupancy(world, machine, market);
  const rented = world.instances.filter((instance) => instance.machineId === machine.id);
  const running = rented.filter((instance) => instance.actualStatus === 'running');
  return {
    id: machine.id,
    machine_id: machine.id,
    hostname: `host-${machine.id}`,
    num_gpus: machine.gpus,
    gpu_name: machine.model.name,
    disk_space: machine.diskGb,
    driver_version: machine.driver,
    reliability2: machine.reliability,
    verification: machine.verification,
    public_ipaddr: machine.publicIp,
    geolocation: machine.geolocation,
    num_reports: 0,
    listed: true,
    listed_gpu_cost: market.pricePerGpu(machine),
    listed_storage_cost: machine.storageCost,
    listed_inet_up_cost: machine.inetUpCost,
    listed_inet_down_cost: machine.inetDownCost,
    listed_min_gpu_count: 1,
    min_bid_price: round(market.minBidPerGpu(machine), 4),
    credit_discount_max: machine.discount,
    gpu_occupancy: gpus.join(' '),
    current_rentals_running: running.length,
    current_rentals_running_on_demand: running.filter((instance) => !instance.isBid).length,
    current_rentals_on_demand: rented.filter((instance) => !instance.isBid).length,
    current_rentals_resident: rented.length,
    timeout: 0,
    end_date: market.listedUntil(machine),
    maintenance: state.maintenance.filter((each) => each.machine_id === machine.id),
  };
}
