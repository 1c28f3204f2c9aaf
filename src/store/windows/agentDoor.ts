import type { Disposable } from '../../util/disposable';
import { toDisposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { HubLine, HubMessage } from './hubWire';

/** Answers a request of an agent; `what` is not validated yet. */
export type AnswerAgent = (what: unknown, signal: AbortSignal) => Promise<unknown>;

/** The most open calls per connection; further calls are refused immediately. */
const maxOpen = 16;
/** The most connections of agents, so that one agent can't flood the window. */
const maxConnections = 16;

/** The entry point for agents outside the editor, in the leading window. */
export class AgentDoor implements Disposable {
  private answer: AnswerAgent | undefined;
  private readonly connections = new Set<AgentConnection>();
  private readonly changed = new Emitter<number>();
  /** Fires with the number of agents connected to this window. */
  readonly onDidChange: Event<number> = this.changed.event;

  get count(): number {
    return this.connections.size;
  }

  /** Starts to answer; only one answerer is active at a time. */
  serve(answer: AnswerAgent): Disposable {
    this.answer = answer;
    return toDisposable(() => {
      this.answer = undefined;
    });
  }

  /** Accepts a connection; undefined if there are too many already. */
  connect(line: HubLine): AgentConnection | undefined {
    if (this.connections.size >= maxConnections) {
      return undefined;
    }
    const connection = new AgentConnection(
      line,
      (what, signal) => this.answer?.(what, signal) ?? Promise.resolve({ problem: 'notReady' }),
      () => {
        this.connections.delete(connection);
        this.changed.fire(this.count);
      },
    );
    this.connections.add(connection);
    this.changed.fire(this.count);
    return connection;
  }

  dispose(): void {
    [...this.connections].forEach((connection) => connection.end());
    this.changed.dispose();
  }
}

/** A connected agent, with its open calls. */
export class AgentConnection {
  private readonly open = new Map<string, AbortController>();

  constructor(
    private readonly line: HubLine,
    private readonly answer: AnswerAgent,
    private readonly onEnd: () => void,
  ) {}

  /** Handles a message; returns false for one that an agent may not send, which ends its connection. */
  receive(message: HubMessage): boolean {
    if (message.t === 'drop') {
      this.open.get(message.id)?.abort();
      return true;
    }
    if (message.t !== 'ask' || this.open.has(message.id)) {
      return false;
    }
    if (this.open.size >= maxOpen) {
      this.sendAnswer(message.id, { problem: 'busy' });
      return true;
    }
    const controller = new AbortController();
    this.open.set(message.id, controller);
    this.answer(message.what, controller.signal).then(
      (what) => this.sendAnswer(message.id, what),
      // The text of an error may contain anything; the answerer reports its own errors.
      () => this.sendAnswer(message.id, { problem: 'failed' }),
    );
    return true;
  }

  end(): void {
    for (const controller of this.open.values()) {
      controller.abort();
    }
    this.open.clear();
    this.onEnd();
  }

  private sendAnswer(id: string, what: unknown): void {
    this.open.delete(id);
    this.line.send({ t: 'answer', id, what });
  }
}
