import { Emitter } from '../../util/emitter';

let open = 0;
const closed = new Emitter<undefined>();

/** True while the question for the second factor is open, which comes unasked and takes the place of what is open. */
export function isAskedNow(): boolean {
  return open > 0;
}

/** Notes that the question is open until it is answered. */
export async function whileAsked<T>(ask: () => Promise<T>): Promise<T> {
  open += 1;
  try {
    return await ask();
  } finally {
    open -= 1;
    closed.fire(undefined);
  }
}

/** Settles once the question is not open any more. */
export async function whenAnswered(): Promise<void> {
  while (isAskedNow()) {
    await new Promise<void>((resolve) => {
      const subscription = closed.event(() => {
        subscription.dispose();
        resolve();
      });
    });
  }
}
