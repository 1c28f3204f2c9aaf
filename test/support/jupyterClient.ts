import { randomUUID } from 'node:crypto';
import { WebSocket, type MessageEvent } from 'undici';
import type { ServerAddress } from '../../src/ssh/notebooks/kernels';

interface Frame {
  readonly parent_header: { readonly msg_id?: string };
  readonly header: { readonly msg_type: string };
  readonly content: { readonly text?: string; readonly execution_state?: string; readonly evalue?: string };
}

/**
 * A client of a Jupyter server that shares nothing with the product. It speaks REST and the kernel's websocket, as
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html describes them.
 */
export class JupyterClient {
  private readonly session = randomUUID();

  private constructor(
    readonly kernelId: string,
    private readonly socket: WebSocket,
  ) {}

  static async start(server: ServerAddress): Promise<JupyterClient> {
    const answer = await fetch(`http://127.0.0.1:${server.localPort}/api/kernels`, {
      method: 'POST',
      headers: { authorization: `token ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'python3' }),
    });
    const { id } = (await answer.json()) as { id?: string };
    if (id === undefined) {
      throw new Error(`no kernel: ${answer.status}`);
    }
    return JupyterClient.join(server, id);
  }

  static async join(server: ServerAddress, kernelId: string): Promise<JupyterClient> {
    const socket = new WebSocket(
      `ws://127.0.0.1:${server.localPort}/api/kernels/${kernelId}/channels?token=${server.token}`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => {
        resolve();
      });
      socket.addEventListener('error', () => {
        reject(new Error('no websocket'));
      });
    });
    return new JupyterClient(kernelId, socket);
  }

  /** What the cell prints. */
  async execute(code: string): Promise<string> {
    const msg_id = randomUUID();
    const header = {
      msg_id,
      username: '',
      session: this.session,
      msg_type: 'execute_request',
      version: '5.3',
    };
    let printed = '';
    const done = new Promise<void>((resolve, reject) => {
      const onMessage = ({ data }: MessageEvent) => {
        const { header: kind, parent_header: parent, content } = JSON.parse(String(data)) as Frame;
        if (parent.msg_id !== msg_id) {
          return;
        }
        printed += kind.msg_type === 'stream' ? (content.text ?? '') : '';
        if (kind.msg_type === 'error') {
          reject(new Error(content.evalue));
        } else if (kind.msg_type === 'status' && content.execution_state === 'idle') {
          this.socket.removeEventListener('message', onMessage);
          resolve();
        }
      };
      this.socket.addEventListener('message', onMessage);
      this.socket.addEventListener('close', () => {
        reject(new Error('the connection was cut'));
      });
    });
    const content = { code, silent: false, store_history: false, user_expressions: {}, allow_stdin: false };
    const message = { header, parent_header: {}, metadata: {}, content, channel: 'shell', buffers: [] };
    this.socket.send(JSON.stringify(message));
    await done;
    return printed;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => {
      this.socket.addEventListener('close', resolve);
    });
    this.socket.close();
    await closed;
  }
}
