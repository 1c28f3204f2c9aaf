import { toDisposable, type Disposable } from './disposable';

export type Listener<T> = (value: T) => void;

/** Subscribes; `vscode.Event` fits where only the first argument is used. */
export type Event<T> = (listener: Listener<T>) => Disposable;

/** An error that belongs to no caller reaches the host of the process, which reports it. */
function rethrowLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/**
 * A small event source. A listener that throws does not stop the others, and its error is
 * never lost: it is passed to `onListenerError`, or is thrown again once the event is over.
 */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<Listener<T>>();

  constructor(private readonly onListenerError: (error: unknown) => void = rethrowLater) {}

  readonly event: Event<T> = (listener) => {
    const own: Listener<T> = (value) => {
      listener(value);
    };
    this.listeners.add(own);
    return toDisposable(() => this.listeners.delete(own));
  };

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
