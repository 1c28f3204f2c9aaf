import { FileUnreadableError } from './jsonFile';

/**
 * Reads the files of a folder, one row each. A file that the disk refuses hides no other, and its row stays as it was
 * last read.
 */
export class DiskRows<Id, Row> {
  private last: ReadonlyMap<Id, Row> = new Map();
  private problem: unknown;

  /** Why rows of the last reading are missing or old. */
  get refused(): unknown {
    return this.problem;
  }

  /** `standIn` gives the row of a file that was never read, as far as its name says something. */
  async read(
    ids: readonly Id[],
    read: (id: Id) => Promise<Row | undefined>,
    standIn?: (id: Id) => Promise<Row>,
  ): Promise<readonly Row[]> {
    let problem: unknown;
    const found = await Promise.all(
      ids.map(async (id) => {
        try {
          return [id, await read(id)] as const;
        } catch (error) {
          if (!(error instanceof FileUnreadableError)) {
            throw error;
          }
          problem = error;
          return [id, this.last.get(id) ?? (await standIn?.(id))] as const;
        }
      }),
    );
    this.problem = problem;
    this.last = new Map(found.flatMap(([id, row]) => (row === undefined ? [] : [[id, row] as const])));
    return [...this.last.values()];
  }
}
