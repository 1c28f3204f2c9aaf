import type { Log } from '../util/log';
import type { RowFiles } from '../shared/diskList';
import { DiskRows } from './diskRows';
import { IdFolder } from './idFolder';

/** A folder with one file for each row, so that windows can't overwrite each other's changes. */
export abstract class RowFolder<Row> implements RowFiles<Row> {
  /** The paths under which the last `list` found damaged files of rows, which were set aside. */
  damaged: readonly string[] = [];
  protected readonly folder: IdFolder;
  private readonly rows = new DiskRows<string, Row>();

  /** `id` tells the names of rows from those of other files. */
  constructor(
    path: string,
    id: RegExp,
    protected readonly log: Pick<Log, 'warn'>,
  ) {
    this.folder = new IdFolder(path, id);
  }

  /** Why rows are missing or outdated in the last result of `list`. */
  get refused(): unknown {
    return this.rows.refused;
  }

  /** Returns the rows in their order. Throws if the folder can't be read. */
  async list(): Promise<readonly Row[]> {
    const rows = await this.rows.read(await this.folder.ids(), (id) => this.read(id));
    this.damaged = [...(await this.folder.damaged()).values()];
    return [...rows].sort((one, other) => this.order(one, other));
  }

  /** Reads a row; `undefined` if there is none. Throws `FileUnreadableError` when the disk refuses. */
  abstract read(id: string): Promise<Row | undefined>;

  /** Compares two rows as `Array.sort` does. */
  protected abstract order(one: Row, other: Row): number;
}
