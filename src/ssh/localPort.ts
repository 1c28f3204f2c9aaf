import { createServer } from 'node:net';

/**
 * Returns a free local port, the wanted one if possible. It must be free on both loopback addresses: a browser may
 * resolve `localhost` to either, and would reach another server on the other one.
 */
export async function freeLocalPort(wanted: number): Promise<number> {
  const isOurs = (await tryPort(wanted, '::1')) !== 'taken';
  const own = isOurs ? await tryPort(wanted) : undefined;
  const any = typeof own === 'number' ? own : await tryPort(0);
  return typeof any === 'number' ? any : wanted;
}

async function tryPort(port: number, host = '127.0.0.1'): Promise<number | 'taken' | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve('code' in error && error.code === 'EADDRINUSE' ? 'taken' : undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const found = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => {
        resolve(found);
      });
    });
  });
}
