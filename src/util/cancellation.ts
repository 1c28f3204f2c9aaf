import { CancelledError } from './errors';

/** Only this caller stops waiting; the work continues for others. */
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
