/** Anything with an end; `vscode.Disposable` fits. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
  let done = false;
  return {
    dispose: () => {
      if (!done) {
        done = true;
        dispose();
      }
    },
  };
}

/** Owns disposables and ends them in reverse order; what is added after the end ends at once. */
export class DisposableStore implements Disposable {
  private readonly items: Disposable[] = [];
  private disposed = false;

  get isDisposed(): boolean {
    return this.disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.disposed) {
      item.dispose();
    } else {
      this.items.push(item);
    }
    return item;
  }

  dispose(): void {
    this.disposed = true;
    const errors: unknown[] = [];
    for (let item = this.items.pop(); item; item = this.items.pop()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) {
      throw new AggregateError(errors, 'Some parts could not be disposed');
    }
  }
}

/** A slot that disposes what it held when it is given something else. */
export class MutableDisposable<T extends Disposable> implements Disposable {
  private current: T | undefined;
  private disposed = false;

  get value(): T | undefined {
    return this.current;
  }

  set value(next: T | undefined) {
    if (this.disposed) {
      next?.dispose();
      return;
    }
    if (next !== this.current) {
      this.current?.dispose();
      this.current = next;
    }
  }

  dispose(): void {
    this.value = undefined;
    this.disposed = true;
  }
}
