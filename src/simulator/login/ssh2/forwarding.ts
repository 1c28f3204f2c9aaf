import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connection, ServerChannel } from 'ssh2';
import { toDisposable, type Disposable } from '../../../util/disposable';

/**
 * More than programs need at a time. A simulated machine is this computer, so a
 * forwarding to its own port would loop until no file can be opened any more.
 */
const mostAtOnce = 100;

/** Port and socket forwarding of one connection, in both directions. */
export function forwarding(connection: Connection): Disposable & { start(): void } {
  const listeners = new Map<string, Server>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const isFull = () => sockets.size >= mostAtOnce;
  const all = toDisposable(() => {
    listeners.forEach((server) => server.close());
    sockets.forEach((socket) => socket.destroy());
  });
  return {
    start: () => {
      connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
        if (isFull()) {
          reject();
        } else {
          outward(track(connect({ host: destIP, port: destPort })), accept, reject);
        }
      });
      connection.on('openssh.streamlocal', (accept, reject, { socketPath }) => {
        if (isFull()) {
          reject();
        } else {
          outward(track(connect(socketPath)), accept, reject);
        }
      });
      acceptRemoteForwards(connection, listeners, track);
    },
    dispose: () => all.dispose(),
  };
}

function outward(socket: Socket, accept: () => ServerChannel, reject: () => void): void {
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    join(accept(), socket);
  });
}

function acceptRemoteForwards(
  connection: Connection,
  listeners: Map<string, Server>,
  track: (socket: Socket) => Socket,
): void {
  connection.on('request', (accept, reject, name, info) => {
    if (!('bindPort' in info)) {
      reject?.();
      return;
    }
    const { bindAddr, bindPort } = info;
    if (name === 'cancel-tcpip-forward') {
      listeners.get(`${bindAddr}:${bindPort}`)?.close();
      listeners.delete(`${bindAddr}:${bindPort}`);
      accept?.();
      return;
    }
    const server = createServer((socket) => {
      track(socket);
      const from = socket.remoteAddress ?? '127.0.0.1';
      connection.forwardOut(bindAddr, portOf(server), from, socket.remotePort ?? 0, (error, channel) => {
        if (error) {
          socket.destroy();
        } else {
          join(channel, socket);
        }
      });
    });
    server.once('error', () => reject?.());
    // For any requested address: nothing of a simulated machine listens beyond this computer.
    server.listen({ host: '127.0.0.1', port: bindPort }, () => {
      listeners.set(`${bindAddr}:${portOf(server)}`, server);
      accept?.(portOf(server));
    });
  });
}

function portOf(server: Server): number {
  // Listening on a TCP port: the address is one, or null after the end.
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

function join(channel: Duplex, socket: Socket): void {
  channel.on('error', () => undefined);
  socket.on('error', () => undefined);
  channel.once('close', () => socket.destroy());
  socket.once('close', () => channel.end());
  channel.pipe(socket).pipe(channel);
}
