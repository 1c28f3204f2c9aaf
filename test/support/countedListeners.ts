import { toDisposable, type Disposable } from '../../src/util/disposable';

type Subscribe = (...args: readonly unknown[]) => Disposable;

/** Counts who listens to objects of a window by `on…`, and has not been disposed of. */
export class CountedListeners {
  count = 0;

  /** The same object, whose listeners are counted. */
  of<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') {
          return value;
        }
        const bound = value.bind(target) as Subscribe;
        return typeof name === 'string' && /^on(?:[A-Z]|$)/.test(name) ? this.counted(bound) : bound;
      },
    });
  }

  private counted(subscribe: Subscribe): Subscribe {
    return (...args) => {
      const subscription = subscribe(...args);
      this.count += 1;
      return toDisposable(() => {
        this.count -= 1;
        subscription.dispose();
      });
    };
  }
}
