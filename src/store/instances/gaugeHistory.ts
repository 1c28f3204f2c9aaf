import * as z from 'zod';
import { gaugesOf, historyMs, merged, withReading, type GaugeReading } from '../../model/instances/gauges';
import { stateOf } from '../../model/instances/instanceState';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Accounts } from '../accounts/accounts';
import type { WindowHub } from '../windows/windowHub';
import type { Fleet } from './fleetStore';

const figure = z.number().min(0).max(100).exactOptional();
const reading = z.object({ at: z.number(), gpu: figure, memory: figure, disk: figure, cpu: figure });
const asks = channel('gauges.ask', z.object({}));
const answers = channel(
  'gauges.history',
  z.object({
    accountKey: z.string(),
    instances: z.array(z.tuple([z.number(), z.array(reading).max(1000)])),
  }),
);

export interface GaugeHistoryDeps {
  readonly accounts: Pick<Accounts, 'active' | 'onDidChange'>;
  readonly fleet: Pick<Fleet, 'state' | 'facts' | 'onDidChange'>;
  readonly hub: Pick<WindowHub, 'isLeader' | 'onDidChangeLeader' | 'on' | 'broadcast'>;
  readonly clock: Clock;
}

/**
 * The usage of each running machine over the last hour, from the lists that are read anyway. Each window keeps what
 * it sees; a new window receives the history of the leading one.
 */
export class GaugeHistory implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private histories = new Map<number, readonly GaugeReading[]>();
  private accountKey: string | undefined;
  private recordedAt = 0;

  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: GaugeHistoryDeps) {
    const { accounts, fleet, hub } = deps;
    this.owned.add(fleet.onDidChange(() => this.record()));
    this.owned.add(hub.onDidChangeLeader(() => this.ask()));
    this.owned.add(asks.on(hub, () => this.answer()));
    this.owned.add(
      answers.on(hub, ({ accountKey, instances }) => {
        if (accountKey !== this.accountKey) {
          return;
        }
        for (const [id, others] of instances) {
          this.histories.set(id, merged(this.histories.get(id) ?? [], others));
        }
        this.changed.fire();
      }),
    );
    // Last, because it asks the leading window, whose answer may arrive at once.
    this.owned.add(
      followAccount(accounts, (account) => {
        this.accountKey = account?.key;
        this.histories = new Map();
        this.recordedAt = 0;
        this.ask();
        return undefined;
      }),
    );
  }

  /** Returns the readings of the last hour, oldest first. */
  of(instanceId: number): readonly GaugeReading[] {
    const now = this.deps.clock.now();
    return (this.histories.get(instanceId) ?? []).filter(({ at }) => now - at <= historyMs);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private record(): void {
    const { state, facts } = this.fleet();
    if (state.kind !== 'ready' || state.error !== undefined || state.fetchedAt === this.recordedAt) {
      return;
    }
    this.recordedAt = state.fetchedAt;
    const before = this.histories;
    this.histories = new Map(
      state.value.instances.map((instance) => {
        const known = before.get(instance.id) ?? [];
        const isRunning = stateOf(instance, facts(instance.id), state.fetchedAt) === 'running';
        return [
          instance.id,
          isRunning ? withReading(known, { at: state.fetchedAt, ...gaugesOf(instance) }) : known,
        ];
      }),
    );
  }

  private fleet() {
    const { fleet } = this.deps;
    return { state: fleet.state, facts: (id: number) => fleet.facts(id) };
  }

  private ask(): void {
    if (this.accountKey !== undefined && !this.deps.hub.isLeader) {
      asks.send(this.deps.hub, {});
    }
  }

  private answer(): void {
    const { hub } = this.deps;
    if (hub.isLeader && this.accountKey !== undefined) {
      const instances = [...this.histories].map(([id, history]): [number, GaugeReading[]] => [
        id,
        [...history],
      ]);
      answers.send(hub, { accountKey: this.accountKey, instances });
    }
  }
}
