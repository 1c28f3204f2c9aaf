import { WebSocket } from 'undici';
import { until } from '../support/until';

interface Answer {
  readonly result?: { readonly value?: string };
}

/** The debugger's view of the extension host. */
export class Inspector {
  private lastId = 0;

  private constructor(private readonly socket: WebSocket) {}

  /** Waits until the host listens on the port that its window was opened with. */
  static async connect(port: number): Promise<Inspector> {
    const targets = await until('the inspector', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/json`).catch(() => undefined);
      return answer && ((await answer.json()) as { webSocketDebuggerUrl: string }[]);
    });
    const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
    await new Promise((resolve) => {
      socket.addEventListener('open', resolve);
    });
    return new Inspector(socket);
  }

  /** Runs an expression there; its value as text. */
  async evaluate(expression: string): Promise<string> {
    const { result } = await this.call('Runtime.evaluate', { expression, returnByValue: true });
    return String(result?.value);
  }

  call(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.lastId;
    const answered = new Promise<Answer>((resolve) => {
      const hear = ({ data }: { readonly data: unknown }) => {
        const message = JSON.parse(String(data)) as { id?: number; result: Answer };
        if (message.id === id) {
          this.socket.removeEventListener('message', hear);
          resolve(message.result);
        }
      };
      this.socket.addEventListener('message', hear);
    });
    this.socket.send(JSON.stringify({ id, method, params }));
    return answered;
  }

  close(): void {
    this.socket.close();
  }
}
