import type { Instance } from '../../../model/instances/instance';
import { actionsFor } from '../../../model/instances/instanceState';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import { isPending } from '../../model/gate';
import type { AgentRequest } from '../../model/request';
import { rentedByAgent } from '../../model/request';
import type { Services } from '../../services';
import type { AgentDesk } from '../../store/agentDesk';

export type AgentWatchDeps = Pick<Services, 'agentDesk' | 'clock' | 'fleet' | 'rentals' | 'settings'>;

/** An instance that an agent rented, with its request. */
export interface AgentInstance {
  readonly instance: Instance;
  readonly request: AgentRequest;
  /** True if it runs or is starting. */
  readonly canStop: boolean;
}

/**
 * Follows the requests of agents, which are read once agents are enabled or something is rented: most users have
 * never enabled them.
 */
export class AgentWatch implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private opened: AgentDesk | undefined;

  constructor(private readonly deps: AgentWatchDeps) {
    const { fleet, rentals, settings } = deps;
    const change = () => {
      this.open();
      this.changed.fire();
    };
    this.owned.add(rentals.onDidChange(change));
    this.owned.add(fleet.onDidChange(change));
    this.owned.add(settings.onDidChange('gpuRental.agents', change));
    this.open();
  }

  get desk(): AgentDesk | undefined {
    return this.opened;
  }

  /** Requests that the user has not answered. */
  get pending(): readonly AgentRequest[] {
    return this.requests.filter((one) => isPending(one, this.deps.clock.now()));
  }

  /** Approved requests whose result is not known yet. */
  get underWay(): readonly AgentRequest[] {
    return this.requests.filter(
      ({ state }) => state === 'renting' || state === 'unknown' || state === 'working',
    );
  }

  get instances(): readonly AgentInstance[] {
    const { fleet, clock } = this.deps;
    const list = fleet.state.kind === 'ready' ? fleet.state.value.instances : [];
    return list.flatMap((instance) => {
      const request = this.rentedFor(instance.id);
      const { canStop } = actionsFor(instance, fleet.facts(instance.id), clock.now());
      return request ? [{ instance, request, canStop }] : [];
    });
  }

  /** Returns the request by which an agent rented an instance. */
  rentedFor(instanceId: number): AgentRequest | undefined {
    return rentedByAgent({ quotes: [], requests: this.requests }, instanceId);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get requests(): readonly AgentRequest[] {
    return this.opened?.requests ?? [];
  }

  private open(): void {
    const { agentDesk, settings, rentals } = this.deps;
    const mayHave = settings.get('gpuRental.agents.access') !== 'off' || rentals.rentals.length > 0;
    if (this.opened || !mayHave) {
      return;
    }
    this.opened = agentDesk();
    this.owned.add(this.opened.onDidChange(() => this.changed.fire()));
  }
}
