import * as z from 'zod';
import { channel } from '../../shared/channel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from './windowHub';

/** An event of the machine that a window is connected to; each is asked about in one window. */
export interface WindowEvent {
  readonly alias: string;
  /** The name of the event; another name is another event. */
  readonly event: string;
}

const eventMessage = z.object({ windowId: z.string(), alias: z.string(), event: z.string() });
const here = channel('connected.here', z.object({ windowId: z.string(), alias: z.string() }));
const who = channel('connected.who', z.object({}));
const gone = channel('connected.gone', z.string());
const wants = channel('connected.want', eventMessage);
const grants = channel('connected.may', eventMessage);
const settled = channel('connected.settled', z.object({ alias: z.string(), event: z.string() }));

/**
 * Which windows are connected to which machines, and which of them asks the user about an event. A claim of `OneWindow`
 * would be for good: the question comes again after the machine ran, and in a window that is opened alone later.
 */
export class ConnectedWindows implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly granted = this.owned.add(new Emitter<WindowEvent>());
  private readonly windows = new Map<string, string>();
  /** The events that were asked about, by alias, since the machine last ran. */
  private readonly asked = new Map<string, string>();
  private wanted: WindowEvent | undefined;
  private own: string | undefined;

  /** Fires in the one window that must ask. */
  readonly onMayAsk = this.granted.event;

  constructor(private readonly hub: WindowHub) {
    this.owned.add(
      hub.onDidChangeLeader((leads) => {
        if (leads) {
          this.windows.clear();
        }
        who.send(hub, {});
        this.sendOwn();
        this.sendWanted();
      }),
    );
    this.owned.add(
      hub.onDidChangePeers((peers) => {
        for (const windowId of hub.isLeader ? [...this.windows.keys()] : []) {
          if (!peers.has(windowId)) {
            this.windows.delete(windowId);
            gone.send(hub, windowId);
          }
        }
      }),
    );
    this.listen();
  }

  set(alias: string): void {
    this.own = alias;
    this.sendOwn();
  }

  /** Returns whether any window is connected to the machine; that window then reports its events. */
  isOpen(alias: string): boolean {
    return this.own === alias || [...this.windows.values()].includes(alias);
  }

  /** Asks to be the window that informs the user; can be called repeatedly. */
  want(what: WindowEvent): void {
    if (this.asked.get(what.alias) !== what.event) {
      this.wanted = what;
      this.sendWanted();
    }
  }

  /**
   * Notes that the machine runs, so that its next failure is another event. `isOver` selects the events that this
   * ends; a lasting one would be asked about again by a window that sees it late.
   */
  settle(alias: string, isOver: (event: string) => boolean = () => true): void {
    if (this.wanted?.alias === alias) {
      this.wanted = undefined;
    }
    const event = this.asked.get(alias);
    if (event !== undefined && isOver(event)) {
      this.asked.delete(alias);
      settled.send(this.hub, { alias, event });
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private listen(): void {
    const { hub } = this;
    this.owned.add(
      who.on(hub, () => {
        this.sendOwn();
        this.sendWanted();
      }),
    );
    this.owned.add(
      here.on(hub, ({ windowId, alias }) => {
        this.windows.set(windowId, alias);
      }),
    );
    this.owned.add(
      gone.on(hub, (windowId) => {
        this.windows.delete(windowId);
      }),
    );
    this.owned.add(
      wants.on(hub, (want) => {
        if (hub.isLeader) {
          this.grant(want);
        }
      }),
    );
    this.owned.add(
      grants.on(hub, (grant) => {
        this.receive(grant);
      }),
    );
    this.owned.add(
      settled.on(hub, ({ alias, event }) => {
        if (this.asked.get(alias) === event) {
          this.asked.delete(alias);
        }
      }),
    );
  }

  private sendOwn(): void {
    if (this.own !== undefined) {
      here.send(this.hub, { windowId: this.hub.windowId, alias: this.own });
    }
  }

  private sendWanted(): void {
    if (!this.wanted) {
      return;
    }
    const want = { windowId: this.hub.windowId, ...this.wanted };
    if (this.hub.isLeader) {
      this.grant(want);
    } else {
      wants.send(this.hub, want);
    }
  }

  /** In the leading window: lets the first asking window ask; later ones learn that the question was asked. */
  private grant(want: z.infer<typeof eventMessage>): void {
    if (this.asked.get(want.alias) !== want.event) {
      grants.send(this.hub, want);
      this.receive(want);
    } else if (want.windowId !== this.hub.windowId) {
      grants.send(this.hub, { ...want, windowId: '' });
    } else {
      this.wanted = undefined;
    }
  }

  private receive({ windowId, alias, event }: z.infer<typeof eventMessage>): void {
    this.asked.set(alias, event);
    if (this.wanted?.alias === alias && this.wanted.event === event) {
      this.wanted = undefined;
    }
    if (windowId === this.hub.windowId) {
      this.granted.fire({ alias, event });
    }
  }
}
