import { createRequire } from 'node:module';
import type { ServerAddress } from '../../src/notebooks/machine/kernels';

/** What the tests use of `@jupyterlab/services`, whose own types would be read with every type check. */
interface Message {
  readonly header: { readonly msg_type: string };
  readonly content: { readonly text?: string; readonly evalue?: string };
}

interface KernelFuture {
  onIOPub: (message: Message) => void;
  readonly done: Promise<unknown>;
}

interface KernelConnection {
  readonly id: string;
  readonly connectionStatus: string;
  requestExecute(content: { readonly code: string }): KernelFuture;
  dispose(): void;
}

interface KernelManager {
  readonly ready: Promise<void>;
  startNew(spec: { readonly name: string }): Promise<KernelConnection>;
  dispose(): void;
}

interface ServicesPackage {
  readonly ServerConnection: { makeSettings(settings: object): object };
  readonly KernelManager: new (options: { readonly serverSettings: object }) => KernelManager;
}

/** The official client of Jupyter servers, in whose reconnection the Jupyter extension of the editor trusts as well. */
export class JupyterClient {
  private constructor(
    private readonly manager: KernelManager,
    private readonly kernel: KernelConnection,
  ) {}

  /**
   * `reachable` is awaited before each plain request. After a cut the client connects again at once, then asks for
   * the kernel, and where that fails it asks again 10 to 30 s later, whatever has happened since: a socket that works
   * by then is closed and reopened, and what the kernel sends in that moment is lost. A request that waits until
   * the server can be reached leaves no such timer behind.
   */
  static async start(
    { localPort, token }: ServerAddress,
    reachable: () => Promise<unknown> = () => Promise.resolve(),
    name = 'python3',
  ): Promise<JupyterClient> {
    const require = createRequire(__filename);
    const services = require('@jupyterlab/services') as ServicesPackage;
    const serverSettings = services.ServerConnection.makeSettings({
      baseUrl: `http://127.0.0.1:${localPort}/`,
      wsUrl: `ws://127.0.0.1:${localPort}/`,
      token,
      appendToken: true,
      fetch: async (request: Request) => {
        await reachable();
        return fetch(request);
      },
    });
    const manager = new services.KernelManager({ serverSettings });
    await manager.ready;
    return new JupyterClient(manager, await manager.startNew({ name }));
  }

  get kernelId(): string {
    return this.kernel.id;
  }

  get isConnected(): boolean {
    return this.kernel.connectionStatus === 'connected';
  }

  /** What the cell prints; `say` gets it as it comes. */
  async execute(code: string, onPrinted?: (printed: string) => void): Promise<string> {
    const future = this.kernel.requestExecute({ code });
    let printed = '';
    let problem: string | undefined;
    future.onIOPub = ({ header, content }) => {
      if (header.msg_type === 'stream') {
        printed += content.text ?? '';
        onPrinted?.(printed);
      } else if (header.msg_type === 'error') {
        problem = content.evalue ?? 'an error';
      }
    };
    await future.done;
    if (problem !== undefined) {
      throw new Error(problem);
    }
    return printed;
  }

  /** Leaves the kernel where it is. */
  close(): void {
    this.kernel.dispose();
    this.manager.dispose();
  }
}
