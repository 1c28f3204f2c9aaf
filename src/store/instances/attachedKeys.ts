import type { Clock } from '../../util/clock';

/** The service puts a key on a running machine some time after it has attached it (ms). */
const arrivalMs = 30_000;

/** The instances to which this window attached a key, so that a login that is refused just after it is repeated. */
export class AttachedKeys {
  /** The elapsed time (ms) of the last key, by instance. */
  private readonly attachedAt = new Map<number, number>();

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  add(instanceId: number): void {
    this.attachedAt.set(instanceId, this.clock.elapsed());
  }

  /** Returns whether a key of the instance may not have reached its machine yet. */
  isOnTheWay(instanceId: number): boolean {
    const at = this.attachedAt.get(instanceId);
    return at !== undefined && this.clock.elapsed() - at < arrivalMs;
  }
}
