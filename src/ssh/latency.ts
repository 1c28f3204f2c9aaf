import { connect } from 'node:net';
import type { Endpoint } from './endpoints';

const patienceMs = 5_000;

/**
 * Returns the milliseconds that a connection to an address needs, which is one round trip to the machine;
 * `undefined` without a connection, for example because the user's config uses a jump host. Sends nothing.
 */
export function measureLatency({ host, port }: Endpoint, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    let since = performance.now();
    const socket = connect({ host, port });
    const finish = (result: number | undefined) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(result);
    };
    const onAbort = () => finish(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    socket.setTimeout(patienceMs, () => finish(undefined));
    // The name lookup is not part of the round trip.
    socket.once('lookup', () => {
      since = performance.now();
    });
    socket.once('connect', () => finish(performance.now() - since));
    socket.once('error', () => finish(undefined));
  });
}
