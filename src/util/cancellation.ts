import { CancelledError } from './errors';

/** The work goes on for others; this caller alone stops waiting. */
export function orCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) {
    return work;
  }
  return new Promise((resolve, reject) => {
    const stop = () => {
      reject(new CancelledError());
    };
    if (signal.aborted) {
      stop();
    }
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}
