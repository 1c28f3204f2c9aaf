import { join } from 'node:path';
import * as z from 'zod';
import { JsonFile, KeptFile } from '../../store/disk/jsonFile';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import {
  nextServers,
  signedOutServers,
  withReported,
  withUsed,
  type Candidate,
  type ListedServer,
} from '../model/notebookServers';

const listFile = z.object({
  version: z.literal(1),
  servers: z.array(
    z.object({
      alias: z.string(),
      accountKey: z.string(),
      instanceId: z.number(),
      label: z.string(),
      isUsed: z.boolean(),
      told: z.array(z.string()).optional(),
    }),
  ),
});

/** The last good list of servers, kept on disk, because Jupyter forgets each server that a list lacks. */
export class ServerList implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly file: KeptFile<z.infer<typeof listFile>>;
  private own: readonly ListedServer[] = [];
  private changing: Promise<void> = Promise.resolve();
  readonly loaded: Promise<void>;

  constructor(
    storageDir: string,
    private readonly log: Log,
  ) {
    const file = new JsonFile(join(storageDir, 'notebooks.json'), listFile, log);
    this.file = new KeptFile(file, log, 'The servers for notebooks could not be read');
    this.loaded = this.read().then((rows) => {
      this.own = rows;
    });
  }

  get rows(): readonly ListedServer[] {
    return this.own;
  }

  find(alias: string): ListedServer | undefined {
    return this.own.find((row) => row.alias === alias);
  }

  /** Resolves once the rows are the next ones, as do the other changes. Never rejects. */
  update(
    accountKey: string | undefined,
    candidates: readonly Candidate[] | undefined,
    hasEnded: (instanceId: number) => boolean,
  ): Promise<void> {
    return this.change((rows) => nextServers(rows, accountKey, candidates, hasEnded));
  }

  /** Removes what belongs to accounts that signed out, as far as Jupyter can do without it. */
  forgetAccounts(accountKeys: readonly string[]): Promise<void> {
    return this.change((rows) => signedOutServers(rows, accountKeys));
  }

  /** Keeps a used server in every list until its instance has ended. */
  noteUsed(alias: string): Promise<void> {
    const used = (row: ListedServer) => (row.alias === alias ? withReported({ ...row, isUsed: true }) : row);
    return this.change((rows) => rows.map(used), { isOfAllWindows: true });
  }

  /**
   * Notes that a message is about to explain why a server can't be used. Returns
   * false if one has done so since it last worked.
   */
  async noteReported(alias: string, why: string): Promise<boolean> {
    let isNews = true;
    const noted = (row: ListedServer) => {
      const { told = [] } = row;
      isNews &&= row.alias !== alias || !told.includes(why);
      return row.alias === alias && isNews ? withReported(row, [...told, why]) : row;
    };
    await this.change((rows) => rows.map(noted), { isOfAllWindows: true });
    return isNews;
  }

  dispose(): void {
    this.changed.dispose();
  }

  /**
   * Makes one change at a time. Each first adds the servers that notebooks of other windows used, which this
   * list must not lack. A change that depends on other windows reads that even if this list would stay the same.
   */
  private change(
    make: (rows: readonly ListedServer[]) => readonly ListedServer[],
    { isOfAllWindows = false } = {},
  ): Promise<void> {
    this.changing = this.changing
      .then(async () => {
        if (!isOfAllWindows && isSame(make(this.own), this.own)) {
          return;
        }
        const all = withUsed(this.own, await this.read());
        const rows = make(all);
        const isShown = !isSame(rows.map(withoutReported), this.own.map(withoutReported));
        const isNew = !isSame(rows, this.own) || !isSame(rows, all);
        this.own = rows;
        if (isShown) {
          this.changed.fire();
        }
        if (isNew) {
          await this.file.write({ version: 1, servers: rows.map(asWritten) });
        }
      })
      .catch((error: unknown) => {
        this.log.warn(`The servers for notebooks could not be kept: ${String(error)}`);
      });
    return this.changing;
  }

  private async read(): Promise<readonly ListedServer[]> {
    return (await this.file.read())?.servers ?? [];
  }
}

/** Jupyter asks for its servers again after a change of what it shows, and only then. */
function withoutReported(row: ListedServer): ListedServer {
  return withReported(row);
}

function asWritten({ told, ...row }: ListedServer) {
  return told ? { ...row, told: [...told] } : row;
}

function isSame(one: readonly ListedServer[], other: readonly ListedServer[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
