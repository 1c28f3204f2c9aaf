import { troubleOf, type Trouble } from '../../model/rentals/startWatch';
import { DestroyedAgain, type DestroyedAgainDeps } from '../instances/destroyedAgain';
import type { StartEvent } from './startEvent';

export interface TroublesDeps extends Omit<DestroyedAgainDeps, 'tell'> {
  /** Delivers an event; `key` is the same for the same event in all windows and after a restart. */
  readonly tell: (key: string, event: StartEvent) => void;
}

/** Problems of machines that were running; each is reported once, and again only after the machine recovered. */
export class Troubles {
  private told = new Map<number, string>();

  private readonly destroyed: DestroyedAgain;

  constructor(private readonly deps: TroublesDeps) {
    this.destroyed = new DestroyedAgain(deps);
  }

  /** Returns the form for the disk. */
  export(): [number, string][] {
    return [...this.told];
  }

  import(told: readonly (readonly [number, string])[]): void {
    this.told = new Map(told);
  }

  /** Notes a failure that another message reports, so that it is not also reported as trouble. */
  noteFailed(instanceId: number, reason: string): void {
    this.told.set(instanceId, this.now(instanceId) ?? reason);
  }

  /** Checks a machine that is not starting. */
  look(instanceId: number): void {
    const { fleet, clock, tell } = this.deps;
    const now = clock.now();
    const instance = fleet.find(instanceId);
    if (!instance) {
      return;
    }
    if (this.destroyed.look(instance, fleet.facts(instanceId).lastRequest, now)) {
      return;
    }
    const trouble = this.now(instanceId);
    if (trouble === undefined) {
      if (instance.actualStatus === 'running') {
        this.told.delete(instanceId);
      }
    } else if (this.told.get(instanceId) !== trouble) {
      this.told.set(instanceId, trouble);
      tell(`trouble:${instanceId}:${trouble}:${now}`, { kind: 'trouble', instanceId, trouble });
    }
  }

  private now(instanceId: number): Trouble | undefined {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(instanceId);
    return instance && troubleOf(instance, fleet.facts(instanceId), clock.now());
  }
}
