import * as z from 'zod';
import { channel, type Channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from '../windows/windowHub';
import type { Fleet } from './fleetStore';

interface Note<T> {
  readonly alias: string;
  readonly said: T;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What machines said in logins that were made anyway, by SSH alias; in all windows, until they close. */
export class SaidByMachine<T> implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly known = new Map<string, Note<T>>();
  private readonly notes: Channel<Note<T>>;

  constructor(
    private readonly deps: {
      readonly hub: Pick<WindowHub, 'on' | 'broadcast'>;
      readonly fleet: Pick<Fleet, 'facts'>;
      readonly clock: Clock;
    },
    topic: string,
    shape: z.ZodType<T>,
  ) {
    this.notes = channel(topic, z.object({ alias: z.string(), said: shape, at: z.number() }));
    this.owned.add(this.notes.on(deps.hub, (note) => this.keep(note)));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Keeps an answer; none changes nothing. */
  note(alias: string, said: T | undefined): void {
    if (said !== undefined) {
      const note = { alias, said, at: this.deps.clock.now() };
      this.keep(note);
      this.notes.send(this.deps.hub, note);
    }
  }

  /** Returns what a machine said since it started; undefined if it was not asked since then. */
  of(alias: string, instanceId: number): T | undefined {
    const known = this.known.get(alias);
    const { runningAt = 0 } = this.deps.fleet.facts(instanceId);
    return known && known.at >= runningAt ? known.said : undefined;
  }

  private keep(note: Note<T>): void {
    if (note.at >= (this.known.get(note.alias)?.at ?? 0)) {
      this.known.set(note.alias, note);
      this.changed.fire(undefined);
    }
  }
}
