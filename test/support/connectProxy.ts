import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Identity } from './tlsFiles';

export interface ConnectProxy {
  readonly url: string;
  /** What clients asked to be connected with, as `host:port`. */
  readonly asked: string[];
  close(): Promise<void>;
}

/**
 * A real proxy for CONNECT. It alone knows the names in `routes`, each with a port on this computer;
 * `login` is the `user:password` that it demands.
 */
export async function startConnectProxy(options: {
  readonly routes: Readonly<Record<string, number>>;
  readonly login?: string;
  readonly tls?: Identity;
}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = options.tls ? createHttps(options.tls) : createHttp();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request.url ?? '');
    const wanted = `Basic ${Buffer.from(options.login ?? '').toString('base64')}`;
    if (options.login !== undefined && request.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    const port = options.routes[(request.url ?? '').replace(/:\d+$/, '')];
    if (port === undefined) {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client);
      client.pipe(upstream);
    });
    sockets.add(upstream);
    const end = () => {
      upstream.destroy();
      client.destroy();
    };
    upstream.on('error', end);
    client.on('error', end);
    client.on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
  };
}
