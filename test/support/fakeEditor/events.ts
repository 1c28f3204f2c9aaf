import type * as vscode from 'vscode';

export class FakeDisposable implements vscode.Disposable {
  constructor(private run: (() => unknown) | undefined) {}

  static from(...all: { dispose(): unknown }[]): FakeDisposable {
    return new FakeDisposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }

  dispose(): void {
    const { run } = this;
    this.run = undefined;
    run?.();
  }
}

export class FakeEventEmitter<T> implements vscode.EventEmitter<T> {
  private readonly listeners = new Set<(event: T) => unknown>();

  readonly event: vscode.Event<T> = (listener, self?: unknown, disposables?: vscode.Disposable[]) => {
    const own = (event: T): unknown => listener.call(self, event);
    this.listeners.add(own);
    const subscription = new FakeDisposable(() => this.listeners.delete(own));
    disposables?.push(subscription);
    return subscription;
  };

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /** The editor reports what a listener throws and goes on with the others. */
  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class FakeCancellationTokenSource implements vscode.CancellationTokenSource {
  private readonly cancelled = new FakeEventEmitter<unknown>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };

  cancel(): void {
    if (this.token.isCancellationRequested) {
      return;
    }
    this.token.isCancellationRequested = true;
    this.cancelled.fire(undefined);
  }

  dispose(): void {
    this.cancelled.dispose();
  }
}

/** What may be a value or a promise of one in the editor's interface. */
export async function resolved<T>(value: T | PromiseLike<T>): Promise<T> {
  return value;
}
