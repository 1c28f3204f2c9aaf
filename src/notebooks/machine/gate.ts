import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { freeLocalPort } from '../../ssh/forward';
import type { Disposable } from '../../util/disposable';

/**
 * The port of this computer at which a notebook reaches its server, before the one on which ssh listens. It stays ours
 * while ssh is away, and bytes to the server wait for `before`, which must not reject: the files that a cell reads are
 * sent before the cell.
 */
export class Gate implements Disposable {
  private readonly sockets = new Set<Socket>();
  private target: number | undefined;

  private readonly server: Server;

  private constructor(
    readonly localPort: number,
    private readonly before: () => Promise<unknown>,
  ) {
    this.server = createServer((near) => {
      this.admit(near);
    });
  }

  /** Listens on the wanted port of the loopback address, or on another one if that is taken. */
  static async open(wantedPort: number, before: () => Promise<unknown>): Promise<Gate> {
    const gate = new Gate(await freeLocalPort(wantedPort), before);
    await new Promise<void>((resolve, reject) => {
      gate.server.once('error', reject);
      gate.server.listen({ port: gate.localPort, host: '127.0.0.1', exclusive: true }, resolve);
    });
    return gate;
  }

  /** Leads to a port of this computer; without one, connections end at once, and so do those that are open. */
  lead(port: number | undefined): void {
    this.target = port;
    if (port === undefined) {
      for (const socket of this.sockets) {
        socket.destroy();
      }
    }
  }

  dispose(): void {
    void this.close();
  }

  /** Resolves once the port is free. */
  close(): Promise<void> {
    this.lead(undefined);
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private admit(near: Socket): void {
    if (this.target === undefined) {
      near.destroy();
      return;
    }
    const far = connect({ host: '127.0.0.1', port: this.target });
    const waiting = new Transform({
      transform: (piece: Buffer, _, done) => {
        void this.before().then(() => {
          done(null, piece);
        });
      },
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay();
      this.sockets.add(socket);
      // What comes of an error is told by the end of the connection.
      socket.on('error', () => undefined);
      socket.once('close', (hadError) => {
        this.sockets.delete(socket);
        if (hadError) {
          other.destroy();
        }
      });
    }
    near.pipe(waiting).pipe(far).pipe(near);
  }
}
