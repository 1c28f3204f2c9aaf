import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Log } from '../../util/log';
import { JsonFile } from '../jsonFile';

const version = z.object({ hash: z.string(), digest: z.string(), mtime: z.number() });
const fields = z.record(z.string(), z.unknown());
const ref = z.object({
  id: z.number(),
  name: z.string().optional(),
  hash: z.string().optional(),
});
const base = z.object({ hash: z.string(), mtime: z.number(), text: z.string(), fields });
const draft = z.object({ accountKey: z.string(), name: z.string(), text: z.string(), mtime: z.number() });

const accountMemory = z.object({
  /** When each version of a document was first seen here, so that its time does not change by itself. */
  versions: z.record(z.string(), version).default({}),
  /** What an unsaved document was made from, for merging after a restart. References in place of secrets. */
  bases: z.record(z.string(), base).default({}),
  /** Which reference stands where in a template's document. */
  slots: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Names of the secrets that this computer holds. */
  secretNames: z.array(z.string()).default([]),
  /** Which documents each of them was stored for. */
  secretOwners: z.record(z.string(), z.array(z.string())).default({}),
  favourites: z.array(ref).default([]),
  recents: z.array(ref).default([]),
});
export type TemplatesOfAccount = z.infer<typeof accountMemory>;
export type StoredDraft = z.infer<typeof draft>;

const memoryFile = z.object({
  version: z.literal(1),
  accounts: z.record(z.string(), accountMemory),
  drafts: z.record(z.string(), draft).default({}),
});
export type TemplateStorageFile = z.infer<typeof memoryFile>;

const keptVersions = 200;
/** A draft that was closed without being saved can hardly be found again. */
const keptDrafts = 50;
const empty: TemplatesOfAccount = {
  versions: {},
  bases: {},
  slots: {},
  secretNames: [],
  secretOwners: {},
  favourites: [],
  recents: [],
};

/** A short name for a text, the same on every computer. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Runs an action while no other window of this user runs one. */
export type StorageLock = <T>(action: () => Promise<T>) => Promise<T>;

interface Queued {
  /** Applied twice it does what it does once. */
  readonly change: (file: TemplateStorageFile) => TemplateStorageFile;
  readonly settle: (failure: Error | undefined) => void;
}

/**
 * What windows remember about templates between sessions, in one file without secrets. Every change starts
 * from what is on disk, under a lock, because other windows write too. Reading never waits for writing: what
 * is to be written counts as written.
 */
export class TemplateStorage {
  /** Not on the disk yet, oldest first. */
  private queued: readonly Queued[] = [];
  private isWriting = false;
  private writes = 0;

  constructor(
    storageDir: string,
    private readonly log: Log,
    private readonly lock: StorageLock,
    private readonly file: Pick<JsonFile<TemplateStorageFile>, 'read' | 'write'> = new JsonFile(
      join(storageDir, 'templates.json'),
      memoryFile,
    ),
  ) {}

  async account(accountKey: string): Promise<TemplatesOfAccount> {
    return (await this.read()).accounts[accountKey] ?? empty;
  }

  /** Changes what is remembered for one account; `undefined` forgets all of it. */
  change(
    accountKey: string,
    change: (memory: TemplatesOfAccount) => TemplatesOfAccount | undefined,
  ): Promise<void> {
    return this.edit((file) => {
      const next = change(file.accounts[accountKey] ?? empty);
      const others = Object.entries(file.accounts).filter(([key]) => key !== accountKey);
      const drafts = Object.entries(file.drafts).filter(
        ([, draft]) => next !== undefined || draft.accountKey !== accountKey,
      );
      return {
        ...file,
        drafts: Object.fromEntries(drafts),
        accounts: Object.fromEntries(next ? [...others, [accountKey, trimmed(next)]] : others),
      };
    });
  }

  /** Of every account that left something here, by key. */
  async accounts(): Promise<Readonly<Record<string, TemplatesOfAccount>>> {
    return (await this.read()).accounts;
  }

  async draft(token: string): Promise<StoredDraft | undefined> {
    return (await this.read()).drafts[token];
  }

  /** The drafts that are kept, by token. */
  async drafts(): Promise<Readonly<Record<string, StoredDraft>>> {
    return (await this.read()).drafts;
  }

  keepDraft(token: string, value: StoredDraft | undefined): Promise<void> {
    return this.edit((file) => {
      const others = Object.entries(file.drafts).filter(([key]) => key !== token);
      const newest = others.sort(([, a], [, b]) => b.mtime - a.mtime).slice(0, keptDrafts - 1);
      return { ...file, drafts: Object.fromEntries(value ? [[token, value], ...newest] : others) };
    });
  }

  private async read(): Promise<TemplateStorageFile> {
    for (;;) {
      const { writes } = this;
      const onDisk = await this.load();
      // Otherwise what was read may be older than what is queued no more.
      if (writes === this.writes) {
        return withChanges(onDisk, this.queued);
      }
    }
  }

  private async load(): Promise<TemplateStorageFile> {
    const content = await this.file.read();
    if (content.kind === 'setAside') {
      this.log.warn(`What was remembered about templates was not understood and was kept as ${content.path}`);
    }
    return content.kind === 'present' ? content.value : { version: 1, accounts: {}, drafts: {} };
  }

  /** On disk when it resolves. */
  private edit(change: (file: TemplateStorageFile) => TemplateStorageFile): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure: Error | undefined) => {
        if (failure) reject(failure);
        else resolve();
      };
      this.queued = [...this.queued, { change, settle }];
      void this.write();
    });
  }

  /** Writes what is queued, and what is queued meanwhile, in one go each. */
  private async write(): Promise<void> {
    if (this.isWriting) {
      return;
    }
    this.isWriting = true;
    while (this.queued.length > 0) {
      const batch = this.queued;
      const failure = await this.writeBatch(batch).then(() => undefined, asError);
      this.queued = this.queued.slice(batch.length);
      this.writes += 1;
      for (const { settle } of batch) {
        settle(failure);
      }
    }
    this.isWriting = false;
  }

  private writeBatch(batch: readonly Queued[]): Promise<void> {
    return this.lock(async () => this.file.write(withChanges(await this.load(), batch)));
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('What was remembered could not be written');
}

function withChanges(file: TemplateStorageFile, queued: readonly Queued[]): TemplateStorageFile {
  return queued.reduce((changed, { change }) => change(changed), file);
}

function trimmed(memory: TemplatesOfAccount): TemplatesOfAccount {
  const versions = Object.entries(memory.versions);
  return versions.length <= keptVersions
    ? memory
    : {
        ...memory,
        versions: Object.fromEntries(
          versions.sort(([, a], [, b]) => b.mtime - a.mtime).slice(0, keptVersions),
        ),
      };
}
