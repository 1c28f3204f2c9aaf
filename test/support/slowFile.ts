import type { FileContent } from '../../src/store/disk/jsonFile';
import type { StoredSecrets, TemplateStorageFile } from '../../src/store/templates/templateStorage';

/** A file on a disk whose writes end when the test decides. */
export class SlowFile {
  content: TemplateStorageFile | undefined;
  readonly writing: { readonly value: TemplateStorageFile; end(error?: Error): void }[] = [];

  read(): Promise<FileContent<TemplateStorageFile>> {
    return Promise.resolve(
      this.content ? { kind: 'present', value: this.content } : ({ kind: 'absent' } as const),
    );
  }

  setAsidePath(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  write(value: TemplateStorageFile): Promise<void> {
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
  private content: TemplateStorageFile | undefined;

  read(): Promise<FileContent<TemplateStorageFile>> {
    return Promise.resolve(
      this.content ? { kind: 'present', value: this.content } : ({ kind: 'absent' } as const),
    );
  }

  setAsidePath(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  write(value: TemplateStorageFile): Promise<void> {
    this.content = value;
    return Promise.resolve();
  }
}

/** A secret store without entries. */
export function noSecrets(): Promise<StoredSecrets> {
  return Promise.resolve({ names: new Map(), draftTokens: [] });
}
