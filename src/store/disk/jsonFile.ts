import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type * as z from 'zod';
import { UserError } from '../../util/errors';
import { parseJson } from '../../util/json';
import { linkOrCopyNew } from '../../util/linkNew';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { replaceFile } from '../../util/replaceFile';
import { text } from '../../util/text';

/** The content of a file; an unreadable file differs from a missing one. */
export type FileContent<T> =
  | { readonly kind: 'present'; readonly value: T }
  | { readonly kind: 'absent' }
  /** Not our JSON: the file was renamed, so that nothing is lost and writing can continue. */
  | { readonly kind: 'setAside'; readonly path: string };

/** The disk refused; the message names the path because the user must act on it. */
export class FileUnreadableError extends UserError {
  constructor(path: string, cause: unknown) {
    super(text('The file {0} could not be read. Check its permissions and the disk.', path), {
      nextStep: 'showLog',
      cause,
    });
  }
}

/** A JSON document on disk that is replaced in one step and checked by a schema at each read. */
export class JsonFile<T> {
  private tail: Promise<unknown> = Promise.resolve();

  constructor(
    readonly path: string,
    private readonly schema: z.ZodType<T>,
    /** Logs each damaged file, so that none is set aside silently. */
    private readonly log: Pick<Log, 'warn'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Reads the file. Throws `FileUnreadableError` when the disk refuses; broken content is set aside and its path
   * returned.
   */
  async read(): Promise<FileContent<T>> {
    let content: string | undefined;
    try {
      content = await ifPresent(readFile(this.path, 'utf8'));
    } catch (error) {
      throw new FileUnreadableError(this.path, error);
    }
    if (content === undefined) {
      return { kind: 'absent' };
    }
    const parsed = this.parse(content);
    return parsed.success ? { kind: 'present', value: parsed.data } : this.setAside();
  }

  /** Returns what the file holds; undefined if that is nothing, or was set aside. Throws as `read` does. */
  async value(): Promise<T | undefined> {
    const content = await this.read();
    return content.kind === 'present' ? content.value : undefined;
  }

  private parse(content: string): z.ZodSafeParseResult<T> {
    return this.schema.safeParse(readJson(content));
  }

  /** Returns where broken content was last set aside, perhaps by another window; undefined if it never was. */
  async setAsidePath(): Promise<string | undefined> {
    const folder = dirname(this.path);
    try {
      const names = (await ifPresent(readdir(folder))) ?? [];
      const newest = names.filter((name) => name.startsWith(`${basename(this.path)}.broken-`)).sort();
      return newest.map((name) => join(folder, name)).at(-1);
    } catch (error) {
      throw new FileUnreadableError(this.path, error);
    }
  }

  /** Writes in one step, in the order of the calls; on disk when it resolves. Only this user can read the file. */
  write(value: T): Promise<void> {
    const content = JSON.stringify(value);
    return this.enqueue(() => replaceFile(this.path, content));
  }

  remove(): Promise<void> {
    return this.enqueue(() => rm(this.path, { force: true }));
  }

  private enqueue(action: () => Promise<void>): Promise<void> {
    const result = this.tail.then(action);
    this.tail = result.catch(() => undefined);
    return result;
  }

  private async setAside(): Promise<FileContent<T>> {
    const own = `${this.path}.broken-${Math.floor(this.now())}`;
    let isOurs: boolean | undefined;
    try {
      isOurs = await ifPresent(rename(this.path, own).then(() => true));
    } catch (error) {
      throw new FileUnreadableError(this.path, error);
    }
    if (isOurs) {
      if (await this.putBack(own)) {
        return this.read();
      }
      this.log.warn(`A file was not understood and was kept as ${own}`);
      return { kind: 'setAside', path: own };
    }
    // Another reader, perhaps of another window, has set it aside just now.
    const path = await this.setAsidePath();
    return path === undefined ? { kind: 'absent' } : { kind: 'setAside', path };
  }

  /**
   * Puts a file back that another window repaired between the read and the rename, unless there is a newer one by now.
   * Returns false if the file is damaged.
   */
  private async putBack(own: string): Promise<boolean> {
    try {
      if (!this.parse(await readFile(own, 'utf8')).success) {
        return false;
      }
      await linkOrCopyNew(own, this.path);
      await rm(own);
      return true;
    } catch (error) {
      throw new FileUnreadableError(own, error);
    }
  }
}

/**
 * A file that is read once and then replaced as a whole. Content that the disk refused to read is not overwritten: the
 * file is read again before it is written.
 */
export class KeptFile<T> {
  private wasRefused = false;

  constructor(
    private readonly file: Pick<JsonFile<T>, 'read' | 'write'>,
    private readonly log: Log,
    /** For the log, where the file can't be read. */
    private readonly unreadable: string,
  ) {}

  /** True while the disk refuses: what the file holds is unknown. */
  get isRefused(): boolean {
    return this.wasRefused;
  }

  /** Returns the content; undefined where there is none or the disk refused. Never rejects. */
  async read(): Promise<T | undefined> {
    try {
      const content = await this.file.read();
      this.wasRefused = false;
      return content.kind === 'present' ? content.value : undefined;
    } catch (error) {
      if (!this.wasRefused) {
        this.log.error(this.unreadable, error);
      }
      this.wasRefused = true;
      return undefined;
    }
  }

  /** Replaces the content, unless it could not be read. Rejects when the disk refuses to write. */
  async write(value: T): Promise<void> {
    if (!this.isRefused) {
      await this.file.write(value);
    }
  }
}

function readJson(content: string): unknown {
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}
