import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server of this computer, counts what passes, and cuts where it is told to. */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));
  private left = Infinity;
  port = 0;
  /** Bytes from the client since the last look. */
  sent = 0;

  constructor(private readonly target: () => number) {}

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    this.port = address !== null && typeof address === 'object' ? address.port : 0;
    return this;
  }

  /** Cuts all connections once so many more bytes have passed, either way; later ones pass. */
  cutAfter(bytes: number): void {
    this.left = bytes;
  }

  /** Lets everything pass; true where a cut was still to come. */
  spare(): boolean {
    const isLeft = this.left !== Infinity;
    this.left = Infinity;
    return isLeft;
  }

  dispose(): void {
    this.server.close();
    this.cut();
  }

  private join(client: Socket): void {
    const server = connect(this.target(), '127.0.0.1');
    const pass = (from: Socket, to: Socket, count: (bytes: number) => void) => {
      this.sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.on('data', (piece: Buffer) => {
        count(piece.length);
        const rest = this.left - piece.length;
        if (rest >= 0) {
          this.left = rest;
          if (!to.write(piece)) {
            from.pause();
            to.once('drain', () => from.resume());
          }
          return;
        }
        to.write(piece.subarray(0, this.left));
        this.left = Infinity;
        this.cut();
      });
    };
    pass(client, server, (bytes) => {
      this.sent += bytes;
    });
    pass(server, client, () => undefined);
  }

  private cut(): void {
    this.sockets.forEach((socket) => socket.destroy());
  }
}
