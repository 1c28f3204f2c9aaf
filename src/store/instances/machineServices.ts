import * as z from 'zod';
import { foundService, type FoundService } from '../../model/instances/foundServices';
import { channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from '../windows/windowHub';
import type { Fleet } from './fleetStore';

const notes = channel(
  'machine.services',
  z.object({ alias: z.string(), services: z.array(foundService), at: z.number() }),
);

/** What machines said of their services in logins that were made anyway, by SSH alias; in all windows, until they close. */
export class MachineServices implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly known = new Map<
    string,
    { readonly services: readonly FoundService[]; readonly at: number }
  >();

  constructor(
    private readonly deps: {
      readonly hub: Pick<WindowHub, 'on' | 'broadcast'>;
      readonly fleet: Pick<Fleet, 'facts'>;
      readonly clock: Clock;
    },
  ) {
    this.owned.add(notes.on(deps.hub, (note) => this.keep(note.alias, note.services, note.at)));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Keeps an answer; none changes nothing. */
  note(alias: string, services: readonly FoundService[] | undefined): void {
    if (services) {
      const at = this.deps.clock.now();
      this.keep(alias, services, at);
      notes.send(this.deps.hub, { alias, services: [...services], at });
    }
  }

  /** Returns what a machine said since it started; undefined if it was not asked since then. */
  of(alias: string, instanceId: number): readonly FoundService[] | undefined {
    const known = this.known.get(alias);
    const { runningAt = 0 } = this.deps.fleet.facts(instanceId);
    return known && known.at >= runningAt ? known.services : undefined;
  }

  private keep(alias: string, services: readonly FoundService[], at: number): void {
    if (at >= (this.known.get(alias)?.at ?? 0)) {
      this.known.set(alias, { services, at });
      this.changed.fire(undefined);
    }
  }
}
