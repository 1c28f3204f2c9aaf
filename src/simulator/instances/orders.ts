import type { MachineManner } from '../login/manners';
import type { BootFailure, InstanceState } from '../state';

/** For a number of boots, of any machine or of one. */
interface BootOrder<T> {
  readonly machineId: number | undefined;
  readonly what: T;
  left: number;
}

/** Events that a test or a demonstration orders; in memory only. */
export class Orders {
  private readonly boots: BootOrder<BootFailure>[] = [];
  private readonly manners: BootOrder<MachineManner>[] = [];
  private readonly rents: { error: string; msg: string }[] = [];

  /** The next boots end so: of any machine, or of one. */
  failBoot(failure: BootFailure, times = 1, machineId?: number): void {
    this.boots.push({ what: failure, left: times, machineId });
  }

  /** The next machines that boot behave so: any, or one. */
  behave(manner: MachineManner, times = 1, machineId?: number): void {
    this.manners.push({ what: manner, left: times, machineId });
  }

  /** Applies the orders for an instance that is about to boot. */
  applyTo(instance: InstanceState): void {
    instance.nextBootFailure ??= nextOrder(this.boots, instance.machineId) ?? null;
    const manner = nextOrder(this.manners, instance.machineId);
    if (manner !== undefined) {
      instance.manner = manner;
    }
  }

  /**
   * Makes the next rental answer `success: false` beside its `new_contract` (docs/service/renting.md#answer).
   */
  doubtNextRent(error: string, msg: string): void {
    this.rents.push({ error, msg });
  }

  nextRentDoubt(): { error: string; msg: string } | undefined {
    return this.rents.shift();
  }

  clear(): void {
    this.boots.length = 0;
    this.manners.length = 0;
    this.rents.length = 0;
  }
}

function nextOrder<T>(orders: readonly BootOrder<T>[], machineId: number): T | undefined {
  const order = orders.find(
    (item) => item.left > 0 && (item.machineId === undefined || item.machineId === machineId),
  );
  if (order) {
    order.left -= 1;
  }
  return order?.what;
}
