import type { Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';

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

/** A quick input, as far as it can be covered. */
interface Coverable {
  readonly onDidHide: Event<unknown>;
  show(): void;
}

interface Ways {
  /** It is closed for good. */
  readonly ended: () => void;
  readonly covered?: (() => void) | undefined;
  readonly shownAgain?: (() => void) | undefined;
}

/**
 * The editor has room for one question, and the one that comes unasked closes what is open there. That is shown
 * again as it was once the other one is answered; everything else that hides it ends it.
 */
export function comeBack(input: Coverable, { ended, covered, shownAgain }: Ways): Disposable {
  // It is a part of the question that comes unasked, and not what that takes the place of.
  const isUnasked = isAskedNow();
  let isOver = false;
  const show = async () => {
    await whenAnswered();
    if (!isOver) {
      input.show();
      shownAgain?.();
    }
  };
  const subscription = input.onDidHide(() => {
    if (isUnasked || !isAskedNow()) {
      ended();
      return;
    }
    covered?.();
    void show();
  });
  return {
    dispose: () => {
      isOver = true;
      subscription.dispose();
    },
  };
}
