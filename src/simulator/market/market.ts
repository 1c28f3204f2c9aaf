import { ServiceError } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';
import { makeMachines, type Machine } from './machines';

/** One size in which a machine is offered. */
export interface Slice {
  readonly offerId: number;
  readonly machine: Machine;
  readonly gpus: number;
}

/** The changeable part of the market, kept with the state. */
interface MarketState {
  /** Unix seconds when the world began; listings end some days after it. */
  createdAt: number;
  /** Machines that are gone, for tests. */
  goneMachines: number[];
  /** Offers that were withdrawn, for tests. */
  goneOffers: number[];
  /** Machines that only their owner may rent, for tests. */
  privateMachines: number[];
  /** Dollars an hour for one GPU, by machine, where a test has changed it. */
  prices: Record<string, number>;
}

const firstOfferId = 20_310_000;
/** Hours of a month, for monthly prices, as the client computes them (docs/service/offers.md#fields-and-units). */
export const monthHours = 720;

/** The machines of the seed with their later changes. */
export class Market {
  readonly machines: readonly Machine[];
  private readonly slices = new Map<number, Slice>();
  private readonly state: MarketState;

  constructor(private readonly world: World) {
    this.machines = makeMachines(world.seed, world.options.machines);
    this.state = world.section('market', () => ({
      createdAt: world.now(),
      goneMachines: [],
      goneOffers: [],
      privateMachines: [],
      prices: {},
    }));
    this.machines.forEach((machine, index) => {
      sliceSizes(machine.gpus).forEach((gpus, size) => {
        const offerId = firstOfferId + index * 97 + size * 13;
        this.slices.set(offerId, { offerId, machine, gpus });
      });
    });
  }

  get offers(): readonly Slice[] {
    return [...this.slices.values()].filter((slice) => !this.isGone(slice));
  }

  offer(id: number): Slice | undefined {
    return this.slices.get(id);
  }

  machine(id: number): Machine | undefined {
    return this.machines.find((machine) => machine.id === id);
  }

  isGone(slice: Slice): boolean {
    return (
      this.state.goneOffers.includes(slice.offerId) || this.state.goneMachines.includes(slice.machine.id)
    );
  }

  /** Withdraws a machine or an offer, keeps it for its owner, or puts it back. */
  mark(list: 'goneMachines' | 'goneOffers' | 'privateMachines', id: number, on: boolean): void {
    const rest = this.state[list].filter((other) => other !== id);
    this.state[list] = on ? [...rest, id] : rest;
    this.world.changed();
  }

  isPrivate(machine: Machine): boolean {
    return this.state.privateMachines.includes(machine.id);
  }

  setPrice(machineId: number, pricePerGpu: number): void {
    this.state.prices[machineId] = pricePerGpu;
    this.world.changed();
  }

  /** Dollars an hour for one GPU, on demand. */
  pricePerGpu(machine: Machine): number {
    return this.state.prices[machine.id] ?? machine.pricePerGpu;
  }

  /** Dollars an hour for one GPU, the least that an interruptible rental may pay. */
  minBidPerGpu(machine: Machine): number {
    return this.world.ports.minimumBid?.(machine.id) ?? machine.minBidPerGpu;
  }

  /** Unix seconds at which the host withdraws the machine. */
  listedUntil(machine: Machine): number {
    const end = this.state.createdAt + machine.listedDays * 86_400;
    const aMonth = 30 * 86_400;
    // Hosts prolong: a world that is used for long keeps its market.
    return end > this.world.now() + 86_400
      ? end
      : end + Math.ceil((this.world.now() + 86_400 - end) / aMonth) * aMonth;
  }

  /** Returns the number of free GPUs; a stopped or failed instance holds none. */
  freeGpus(machine: Machine, except?: InstanceState): number {
    const held = this.world.instances
      .filter((instance) => instance !== except && instance.machineId === machine.id && holdsGpus(instance))
      .reduce((sum, instance) => sum + (this.slices.get(instance.offerId)?.gpus ?? 0), 0);
    return machine.gpus - machine.taken - held;
  }

  isRentable(slice: Slice): boolean {
    return !this.isGone(slice) && this.freeGpus(slice.machine) >= slice.gpus;
  }

  /** The part of an instance; its machine stays known after it has left the market. */
  sliceOf(instance: InstanceState): Slice {
    const slice = this.slices.get(instance.offerId);
    if (!slice) {
      throw new ServiceError(500, 'internal_error', `Offer ${instance.offerId} is of another market.`);
    }
    return slice;
  }
}

function holdsGpus(instance: InstanceState): boolean {
  return instance.intendedStatus === 'running' && !instance.failed && !instance.outbid && !instance.waiting;
}

/** 1, 2, 4 … and the whole machine. */
function sliceSizes(gpus: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = 1; size < gpus; size *= 2) {
    sizes.push(size);
  }
  return [...sizes, gpus];
}
