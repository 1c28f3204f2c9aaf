import { inspect } from 'node:util';
import type { Log } from '../../src/util/log';
import { FakeSecrets } from './fakeWindows';

type Trouble = 'throws' | 'throwsAtOnce' | 'hangs' | 'losesWrites' | 'garbage';

/** A key ring that can go wrong in each way that key rings do. */
export class TroubledSecrets extends FakeSecrets {
  trouble: Trouble | undefined;
  garbage: unknown = '';

  override keys(): Promise<readonly string[]> {
    return this.run(() => super.keys(), undefined);
  }

  override get(key: string): Promise<string | undefined> {
    if (this.trouble === 'garbage') {
      // What a broken key ring gives has no type.
      return Promise.resolve(this.garbage as string);
    }
    return this.run(() => super.get(key), this.values.get(key));
  }

  override store(key: string, value: string): Promise<void> {
    return this.trouble === 'losesWrites'
      ? Promise.resolve()
      : this.run(() => super.store(key, value), value);
  }

  override delete(key: string): Promise<void> {
    return this.trouble === 'losesWrites'
      ? Promise.resolve()
      : this.run(() => super.delete(key), this.values.get(key));
  }

  /** The words of a key ring may quote what they are about. */
  private run<T>(answer: () => Promise<T>, value: string | undefined): Promise<T> {
    switch (this.trouble) {
      case 'throws':
        return Promise.reject(new Error(`Cannot decrypt ${value ?? 'nothing'}`));
      case 'throwsAtOnce':
        throw new Error(`Cannot decrypt ${value ?? 'nothing'}`);
      case 'hangs':
        return new Promise(() => undefined);
      case 'losesWrites':
      case 'garbage':
      case undefined:
        return answer();
    }
  }
}

/** A log as it would be read, causes included. */
export class ReadableLog implements Log {
  text = '';
  private readonly add = (...parts: unknown[]) => {
    this.text += parts.map((part) => (typeof part === 'string' ? part : inspect(part))).join(' ') + '\n';
  };
  readonly trace = this.add;
  readonly debug = this.add;
  readonly info = this.add;
  readonly warn = this.add;
  readonly error = this.add;
}
