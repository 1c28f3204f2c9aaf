import type { Disposable } from '../../util/disposable';
import { toDisposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { HubLine, HubMessage } from './hubWire';

/** Answers what an agent asks; what it asks is unchecked. */
export type AnswerAgent = (what: unknown, signal: AbortSignal) => Promise<unknown>;

/** A connection may have so many open calls; more are answered at once. */
const maxOpen = 16;
/** An agent that floods the window with connections gets no further ones. */
const maxConnections = 16;

/** Where agents outside of the editor ask, in the window that leads. */
export class AgentDoor implements Disposable {
  private answer: AnswerAgent | undefined;
  private readonly connections = new Set<AgentConnection>();
  private readonly changed = new Emitter<number>();
  /** How many agents are connected to this window. */
  readonly onDidChange: Event<number> = this.changed.event;

  get count(): number {
    return this.connections.size;
  }

  /** Answers from here on; one at a time does. */
  serve(answer: AnswerAgent): Disposable {
    this.answer = answer;
    return toDisposable(() => {
      this.answer = undefined;
    });
  }

  /** Undefined where there are too many already. */
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

/** One agent: the calls that it waits for. */
export class AgentConnection {
  private readonly open = new Map<string, AbortController>();

  constructor(
    private readonly line: HubLine,
    private readonly answer: AnswerAgent,
    private readonly onEnd: () => void,
  ) {}

  /** False for what an agent may not say, which ends its connection. */
  take(message: HubMessage): boolean {
    if (message.t === 'drop') {
      this.open.get(message.id)?.abort();
      return true;
    }
    if (message.t !== 'ask' || this.open.has(message.id)) {
      return false;
    }
    if (this.open.size >= maxOpen) {
      this.tell(message.id, { problem: 'busy' });
      return true;
    }
    const controller = new AbortController();
    this.open.set(message.id, controller);
    this.answer(message.what, controller.signal).then(
      (what) => this.tell(message.id, what),
      // The text of an error may hold anything; what answers tells its own.
      () => this.tell(message.id, { problem: 'failed' }),
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

  private tell(id: string, what: unknown): void {
    this.open.delete(id);
    this.line.send({ t: 'answer', id, what });
  }
}
