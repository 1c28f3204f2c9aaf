import { createServer } from 'node:net';

/** A port of this computer that nobody uses; the wanted one where it is free. */
export async function freeLocalPort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0)) ?? wanted;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const found = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => {
        resolve(found);
      });
    });
  });
}
