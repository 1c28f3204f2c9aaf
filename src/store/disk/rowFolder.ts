import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import type { Log } from '../../util/log';
import type { RowFiles } from './diskList';
import { FileUnreadableError, JsonFile } from './jsonFile';

/** The ids of instances and machines. */
export const numberId = /^\d{1,15}$/;
/** The ids of our own, such as those of schedules: eight hexadecimal digits. */
export const ownId = /^[0-9a-f]{8}$/;

export function newOwnId(): string {
  return randomBytes(4).toString('hex');
}

/** A folder of JSON files that are named by their ids (`7.json`); it is made if needed. */
export class IdFolder {
  /** `id` distinguishes the names of these files from others. */
  constructor(
    readonly path: string,
    private readonly id: RegExp,
    protected readonly log: Pick<Log, 'warn'>,
    /** Milliseconds since 1970. */
    private readonly now?: () => number,
  ) {}

  pathOf(id: string | number): string {
    return join(this.path, `${id}.json`);
  }

  /** Returns the file of an id, or one beside it that has a longer name (`7.state`). */
  file<T>(id: string | number, schema: z.ZodType<T>): JsonFile<T> {
    return new JsonFile(this.pathOf(id), schema, this.log, this.now);
  }

  /** Throws `FileUnreadableError` when the disk refuses. */
  async ids(): Promise<readonly string[]> {
    return this.named(await this.fileNames(), /^([^.]+)\.json$/).map(([id]) => id);
  }

  /**
   * Returns the paths of damaged files by their ids: they were set aside when they were read, and not written again
   * since. Throws `FileUnreadableError` when the disk refuses.
   */
  async setAside(): Promise<ReadonlyMap<string, string>> {
    const names = await this.fileNames();
    const kept = this.named(names, /^([^.]+)\.json\.broken-\d+$/);
    return new Map(
      kept.filter(([id]) => !names.includes(`${id}.json`)).map(([id, name]) => [id, join(this.path, name)]),
    );
  }

  private named(names: readonly string[], shape: RegExp): readonly (readonly [string, string])[] {
    return names.flatMap((name) => {
      const id = shape.exec(name)?.[1];
      return id !== undefined && this.id.test(id) ? [[id, name] as const] : [];
    });
  }

  private async fileNames(): Promise<readonly string[]> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      return await readdir(this.path);
    } catch (error) {
      throw new FileUnreadableError(this.path, error);
    }
  }
}

/** A folder with one file for each row, so that windows can't overwrite each other's changes. */
export abstract class RowFolder<Row> extends IdFolder implements RowFiles<Row> {
  /** Why the last `list` could not read files, by their ids. */
  protected refusals: ReadonlyMap<string, FileUnreadableError> = new Map();
  /** The paths of damaged files, as of the last `list`, by their ids. */
  protected damagedById: ReadonlyMap<string, string> = new Map();
  private last: ReadonlyMap<string, Row> = new Map();

  /** Why rows are missing or outdated in the last result of `list`. */
  get refused(): unknown {
    return [...this.refusals.values()].at(-1);
  }

  get damaged(): readonly string[] {
    return [...this.damagedById.values()];
  }

  /**
   * Returns the rows in their order. A file that the disk refuses hides no other. Throws if the folder can't be read.
   */
  async list(): Promise<readonly Row[]> {
    const refusals = new Map<string, FileUnreadableError>();
    const readOne = async (id: string) => {
      try {
        return await this.read(id);
      } catch (error) {
        if (!(error instanceof FileUnreadableError)) {
          throw error;
        }
        refusals.set(id, error);
        return this.standIn(id, this.last.get(id));
      }
    };
    const found = await Promise.all((await this.ids()).map(async (id) => [id, await readOne(id)] as const));
    const rows = new Map(found.flatMap(([id, row]) => (row === undefined ? [] : [[id, row] as const])));
    this.refusals = refusals;
    this.last = rows;
    this.damagedById = await this.setAside();
    return [...rows.values()].sort((one, other) => this.order(one, other));
  }

  /** Reads a row; `undefined` if there is none. Throws `FileUnreadableError` when the disk refuses. */
  abstract read(id: string): Promise<Row | undefined>;

  /** Compares two rows as `Array.sort` does. */
  protected abstract order(one: Row, other: Row): number;

  /** Returns what `list` has in place of a row that the disk refuses: the row as it was last read, if it was. */
  protected standIn(_id: string, last: Row | undefined): Row | undefined | Promise<Row | undefined> {
    return last;
  }
}
