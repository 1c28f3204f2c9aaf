import { nodeFileSystem, type FileSystem } from '../../src/ssh/fileSystem';

class PowerFailure extends Error {}

/** The real file system until the power fails at one operation; after that nothing works any more. */
export class CrashingFileSystem {
  operations: string[] = [];
  readonly fs: FileSystem;

  /** `at` counts from 1; 0 never fails. Half of a write is lost where it fails `during`. */
  constructor(at: number, when: 'before' | 'during' | 'after') {
    const guard =
      <A extends unknown[], R>(
        name: string,
        run: (...args: A) => Promise<R>,
        half?: (...args: A) => Promise<R>,
      ) =>
      async (...args: A): Promise<R> => {
        this.operations.push(name);
        const count = this.operations.length;
        if (at > 0 && (count > at || (count === at && when === 'before'))) {
          throw new PowerFailure(name);
        }
        const running = (count === at && when === 'during' && half ? half : run)(...args);
        if (count === at) {
          // The outcome stays unknown.
          await running.catch(() => undefined);
          throw new PowerFailure(name);
        }
        return running;
      };
    const real = nodeFileSystem;
    const torn = (path: string, bytes: Buffer, mode: number) =>
      real.create(path, bytes.subarray(0, Math.floor(bytes.length / 2)), mode);
    this.fs = {
      facts: guard('facts', real.facts),
      read: guard('read', real.read),
      readUpTo: guard('readUpTo', real.readUpTo),
      readLink: guard('readLink', real.readLink),
      list: guard('list', real.list),
      makeDir: guard('makeDir', real.makeDir),
      setMode: guard('setMode', real.setMode),
      setOwner: guard('setOwner', real.setOwner),
      create: guard('create', real.create, torn),
      createSynced: guard('createSynced', real.createSynced, torn),
      replaceIfSame: guard('replaceIfSame', real.replaceIfSame),
      append: guard('append', real.append),
      linkNew: guard('linkNew', real.linkNew),
      removeIfSame: guard('removeIfSame', real.removeIfSame),
      remove: guard('remove', real.remove),
      removeDir: guard('removeDir', real.removeDir),
      // Time decides when a lock is touched, so that no count can tell the operation that follows.
      touch: (path) =>
        at > 0 && this.operations.length >= at ? Promise.reject(new PowerFailure('touch')) : real.touch(path),
      syncDir: guard('syncDir', real.syncDir),
    };
  }
}
