import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { OpenPorts } from '../instances/sshHost';

export interface DoorOptions {
  readonly serve: (socket: Socket) => void;
  /** Ports that it had before, tried first. */
  readonly lastProxyPort: number | null;
  readonly lastDirectPorts: Readonly<Record<string, number>>;
  /** Container ports such as `22/tcp` that are open directly. */
  readonly direct: readonly string[];
  /**
   * Also serves the port below, because clients add one where Jupyter is on
   * (docs/service/instances.md#ssh-address).
   */
  readonly pair: boolean;
  readonly onConnections: (change: 1 | -1) => void;
}

/** The loopback ports of one running machine. Port 22 is SSH; others lead to the same port of this computer. */
export class Door {
  private readonly servers: Server[] = [];
  private readonly sockets = new Set<Socket>();

  constructor(private readonly options: DoorOptions) {}

  /** @throws Error when no port can be had; nothing listens then. */
  async open(): Promise<OpenPorts> {
    try {
      const proxyPort = await this.openProxy();
      const directPorts: Record<string, number> = {};
      for (const name of this.options.direct) {
        const handler = name === '22/tcp' ? this.options.serve : forwardTo(Number(name.split('/')[0]));
        directPorts[name] = await this.listen(handler, this.options.lastDirectPorts[name]);
      }
      return { proxyPort, directPorts };
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.servers.splice(0).forEach((server) => server.close());
    for (const socket of this.sockets) {
      socket.destroy();
    }
  }

  private async openProxy(): Promise<number> {
    if (!this.options.pair) {
      return this.listen(this.options.serve, this.options.lastProxyPort ?? undefined);
    }
    let wanted = this.options.lastProxyPort ?? undefined;
    for (let attempt = 0; ; attempt += 1) {
      const port = await this.listen(this.options.serve, wanted);
      try {
        await this.listenOn(this.options.serve, port - 1);
        return port;
      } catch (error) {
        this.servers.pop()?.close();
        wanted = undefined;
        if (attempt === 20) {
          throw error;
        }
      }
    }
  }

  private async listen(handler: (socket: Socket) => void, wanted: number | undefined): Promise<number> {
    if (wanted !== undefined) {
      try {
        return await this.listenOn(handler, wanted);
      } catch {
        // Another program has this port now: any other one works, because clients read the port again.
      }
    }
    return this.listenOn(handler, 0);
  }

  private listenOn(handler: (socket: Socket) => void, port: number): Promise<number> {
    const server = createServer({ noDelay: true }, (socket) => {
      this.sockets.add(socket);
      this.options.onConnections(1);
      socket.once('close', () => {
        this.sockets.delete(socket);
        this.options.onConnections(-1);
      });
      // A reset is an end; the server gets the close event.
      socket.on('error', () => undefined);
      handler(socket);
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        server.off('error', reject);
        this.servers.push(server);
        // Listening on a TCP port: the address is one.
        resolve((server.address() as AddressInfo).port);
      });
    });
  }
}

function forwardTo(port: number): (socket: Socket) => void {
  return (socket) => {
    const target = connect({ host: '127.0.0.1', port });
    const end = () => {
      socket.destroy();
      target.destroy();
    };
    target.on('error', end);
    socket.once('close', end);
    target.once('close', end);
    socket.pipe(target).pipe(socket);
  };
}
