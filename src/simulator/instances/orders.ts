import type { BootFailure } from '../state';

/** What a test or a demonstration wants to happen next; in memory only. */
export class Orders {
  private readonly boots: { machineId?: number; failure: BootFailure; left: number }[] = [];
  private readonly rents: { error: string; msg: string }[] = [];

  /** The next boots end so: of any machine, or of one. */
  failBoot(failure: BootFailure, times = 1, machineId?: number): void {
    this.boots.push({ failure, left: times, ...(machineId === undefined ? {} : { machineId }) });
  }

  takeBootFailure(machineId: number): BootFailure | null {
    const order = this.boots.find(
      (item) => item.left > 0 && (item.machineId === undefined || item.machineId === machineId),
    );
    if (!order) {
      return null;
    }
    order.left -= 1;
    return order.failure;
  }

  /**
   * Makes the next rental answer `success: false` beside its `new_contract` (docs/service/renting.md#answer).
   */
  doubtNextRent(error: string, msg: string): void {
    this.rents.push({ error, msg });
  }

  takeRentDoubt(): { error: string; msg: string } | undefined {
    return this.rents.shift();
  }

  clear(): void {
    this.boots.length = 0;
    this.rents.length = 0;
  }
}
