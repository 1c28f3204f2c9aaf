import type { FileContent } from '../../src/store/jsonFile';
import type { MemoryFile } from '../../src/store/templates/templateMemory';

/** A file on a disk whose writes end when the test says so. */
export class SlowFile {
  content: MemoryFile | undefined;
  readonly writing: { readonly value: MemoryFile; end(error?: Error): void }[] = [];

  read(): Promise<FileContent<MemoryFile>> {
    return Promise.resolve(
      this.content ? { kind: 'present', value: this.content } : ({ kind: 'absent' } as const),
    );
  }

  write(value: MemoryFile): Promise<void> {
    return new Promise((resolve, reject) => {
      this.writing.push({
        value,
        end: (error) => {
          if (error) {
            reject(error);
            return;
          }
          this.content = value;
          resolve();
        },
      });
    });
  }
}

/** A file on a disk that takes no time. */
export class QuickFile {
  private content: MemoryFile | undefined;

  read(): Promise<FileContent<MemoryFile>> {
    return Promise.resolve(
      this.content ? { kind: 'present', value: this.content } : ({ kind: 'absent' } as const),
    );
  }

  write(value: MemoryFile): Promise<void> {
    this.content = value;
    return Promise.resolve();
  }
}
