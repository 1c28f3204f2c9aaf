import { join } from 'node:path';
import * as z from 'zod';
import {
  nextServers,
  signedOutServers,
  type Candidate,
  type ListedServer,
} from '../../model/notebooks/notebookServers';
import { JsonFile } from '../../store/jsonFile';
import { KeptFile } from '../../store/keptFile';
import { Emitter } from '../../util/emitter';
import type { Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';

const listFile = z.object({
  version: z.literal(1),
  servers: z.array(
    z.object({
      alias: z.string(),
      accountKey: z.string(),
      instanceId: z.number(),
      label: z.string(),
      isUsed: z.boolean(),
    }),
  ),
});

/** The last good list of servers, kept on disk, because Jupyter forgets each server that a list lacks. */
export class ServerList implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly file: KeptFile<z.infer<typeof listFile>>;
  private own: readonly ListedServer[] = [];
  readonly loaded: Promise<void>;

  constructor(
    storageDir: string,
    private readonly log: Log,
  ) {
    const file = new JsonFile(join(storageDir, 'notebooks.json'), listFile);
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

  update(
    accountKey: string | undefined,
    candidates: readonly Candidate[] | undefined,
    hasEnded: (instanceId: number) => boolean,
  ): void {
    this.set(nextServers(this.own, accountKey, candidates, hasEnded));
  }

  /** Removes what belongs to accounts that signed out, as far as Jupyter can do without it. */
  forgetAccounts(accountKeys: readonly string[]): void {
    this.set(signedOutServers(this.own, accountKeys));
  }

  /** Keeps a used server in every list until its instance has ended. */
  noteUsed(alias: string): void {
    this.set(this.own.map((row) => (row.alias === alias ? { ...row, isUsed: true } : row)));
  }

  dispose(): void {
    this.changed.dispose();
  }

  private set(rows: readonly ListedServer[]): void {
    if (JSON.stringify(rows) === JSON.stringify(this.own)) {
      return;
    }
    this.own = rows;
    this.changed.fire();
    void this.write();
  }

  private async read(): Promise<readonly ListedServer[]> {
    return (await this.file.read())?.servers ?? [];
  }

  private async write(): Promise<void> {
    try {
      const wasRefused = this.file.isRefused;
      const written = await this.read();
      if (wasRefused) {
        // What was not read at the start is not known to be gone.
        const here = new Set(this.own.map(({ alias }) => alias));
        this.own = [...this.own, ...written.filter(({ alias, isUsed }) => isUsed && !here.has(alias))];
      }
      const used = new Set(written.filter(({ isUsed }) => isUsed).map(({ alias }) => alias));
      // Another window may have used some of these servers.
      this.own = this.own.map((row) => (used.has(row.alias) ? { ...row, isUsed: true } : row));
      await this.file.write({ version: 1, servers: [...this.own] });
    } catch (error) {
      this.log.warn(`The servers for notebooks could not be kept: ${String(error)}`);
    }
  }
}
