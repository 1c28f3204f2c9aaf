import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from './windowHub';

/** A use of an instance: a remote window, a terminal, a forwarded port, a busy kernel, a transfer or command, a job. */
export type PresenceKind = 'window' | 'terminal' | 'forward' | 'kernel' | 'work' | 'job';

const sets = channel('presence.set', z.object({ windowId: z.string(), aliases: z.array(z.string()) }));
const asks = channel('presence.ask', z.object({}));

/** The time in which the other windows answer (ms). */
export const presenceGraceMs = 10_000;

/** The instances that windows of this computer are connected to, by SSH alias. Complete in the leading window. */
export class Presence implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly own = new Map<PresenceKind, readonly string[]>();
  private readonly others = new Map<string, ReadonlySet<string>>();
  /** An alias for each piece of work that is under way. */
  private working: readonly string[] = [];
  private askedAt: number;

  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: { readonly hub: WindowHub; readonly clock: Clock }) {
    const { hub, clock } = deps;
    this.askedAt = clock.now();
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        this.askedAt = clock.now();
        if (leads) {
          asks.send(hub, {});
        } else {
          this.sendOwn();
        }
      }),
    );
    this.owned.add(
      hub.onDidChangePeers((peers) => {
        if (hub.isLeader) {
          [...this.others.keys()].filter((id) => !peers.has(id)).forEach((id) => this.others.delete(id));
          this.changed.fire();
        }
      }),
    );
    this.owned.add(asks.on(hub, () => this.sendOwn()));
    this.owned.add(
      sets.on(hub, ({ windowId, aliases }) => {
        this.others.set(windowId, new Set(aliases));
        this.changed.fire();
      }),
    );
    if (hub.isLeader) {
      asks.send(hub, {});
    }
  }

  /** Sets the connections of one kind in this window. */
  set(kind: PresenceKind, aliases: readonly string[]): void {
    if ([...aliases].sort().join() !== [...(this.own.get(kind) ?? [])].sort().join()) {
      this.own.set(kind, aliases);
      this.sendOwn();
      this.changed.fire();
    }
  }

  /** Counts an instance as in use during work of the user that needs no window, such as a transfer. */
  async during<T>(alias: string, work: () => Promise<T>): Promise<T> {
    this.working = [...this.working, alias];
    this.set('work', this.working);
    try {
      return await work();
    } finally {
      const at = this.working.indexOf(alias);
      this.working = this.working.filter((_, index) => index !== at);
      this.set('work', this.working);
    }
  }

  /** False until the other windows had time to answer; before that no instance counts as idle. */
  get isComplete(): boolean {
    const { hub, clock } = this.deps;
    return hub.isLeader && Math.abs(clock.now() - this.askedAt) >= presenceGraceMs;
  }

  isUsed(alias: string): boolean {
    return this.ownAliases().includes(alias) || [...this.others.values()].some((one) => one.has(alias));
  }

  /** Returns whether any instance is connected, here or in a window that this one can reach. */
  get isAnyUsed(): boolean {
    return this.ownAliases().length > 0 || [...this.others.values()].some(({ size }) => size > 0);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private ownAliases(): readonly string[] {
    return [...this.own.values()].flat();
  }

  private sendOwn(): void {
    const { hub } = this.deps;
    sets.send(hub, { windowId: hub.windowId, aliases: [...this.ownAliases()] });
  }
}
