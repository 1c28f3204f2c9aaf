import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { draftParts } from '../../model/templates/templateUri';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { JsonFile } from '../disk/jsonFile';

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
  /** When each version of a document was first seen here, so that its time stays stable. */
  versions: z.record(z.string(), version).default({}),
  /**
   * The originals of unsaved documents, for merging after a restart, by window and template, the newest last. They have
   * references in place of secrets.
   */
  bases: z.record(z.string(), base).default({}),
  /** The references by place, for each template's document. */
  slots: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** The documents that each secret was stored for, in earlier versions. */
  secretOwners: z.record(z.string(), z.array(z.string())).default({}),
  /** Names of secrets whose places are unknown, because an earlier file was damaged. */
  lostNames: z.array(z.string()).default([]),
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
/** A window that never opens again leaves its originals behind, so the oldest are dropped. */
const keptBases = 100;
/** A draft that was closed unsaved can hardly be found again, so the oldest are dropped. */
const keptDrafts = 50;
const empty: TemplatesOfAccount = {
  versions: {},
  bases: {},
  slots: {},
  secretOwners: {},
  lostNames: [],
  favourites: [],
  recents: [],
};

/** Returns a short name for a text, the same on every computer. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

/** Runs an action while no other window of this user runs one. */
export type StorageLock = <T>(action: () => Promise<T>) => Promise<T>;

/** What the secret store holds of documents, whether or not they are remembered. */
export interface StoredSecrets {
  /** The names of secrets, by account. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly draftTokens: readonly string[];
}

interface Queued {
  /** Idempotent: applying it twice has the same result. */
  readonly change: (file: TemplateStorageFile) => TemplateStorageFile;
  readonly settle: (failure: Error | undefined) => void;
}

/**
 * What windows remember about templates between sessions, in one file without secrets. Every change starts from the
 * file on disk, under a lock, because other windows write too. Reads never wait for writes: queued changes count as
 * written.
 */
export class TemplateStorage {
  /** Changes that are not on disk yet, oldest first. */
  private queued: readonly Queued[] = [];
  private isWriting = false;
  private writes = 0;
  private readonly setAside = new Set<string>();
  private readonly changed = new Emitter<undefined>();
  /** Fires when the file turned out to be damaged. */
  readonly onDidFindDamage = this.changed.event;

  constructor(
    storageDir: string,
    private readonly log: Log,
    private readonly lock: StorageLock,
    private readonly storedSecrets: () => Promise<StoredSecrets>,
    private readonly file: Pick<
      JsonFile<TemplateStorageFile>,
      'read' | 'setAsidePath' | 'write'
    > = new JsonFile(join(storageDir, 'templates.json'), memoryFile, log),
  ) {}

  /** The paths of damaged files that were set aside. */
  get damaged(): readonly string[] {
    return [...this.setAside];
  }

  async account(accountKey: string): Promise<TemplatesOfAccount> {
    return (await this.read()).accounts[accountKey] ?? empty;
  }

  /** Changes the data of an account; `undefined` deletes all of it. */
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

  /** Returns the documents for which earlier versions stored a secret, by its name: before owners, by its places. */
  async earlierUses(accountKey: string): Promise<(name: string) => readonly string[]> {
    const { secretOwners, slots } = await this.account(accountKey);
    return (name) => {
      const bound = Object.entries(slots).filter(([, names]) => Object.values(names).includes(name));
      const owners = Object.hasOwn(secretOwners, name) ? (secretOwners[name] ?? []) : [];
      return [...new Set([...owners, ...bound.map(([id]) => `template:${id}`)])];
    };
  }

  /** Returns the data of every account, by key. */
  async accounts(): Promise<Readonly<Record<string, TemplatesOfAccount>>> {
    return (await this.read()).accounts;
  }

  async draft(token: string): Promise<StoredDraft | undefined> {
    return (await this.read()).drafts[token];
  }

  /** Returns the stored drafts, by token. */
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
      // Otherwise the read may be older than a change that has just left the queue.
      if (writes === this.writes) {
        return withChanges(onDisk, this.queued);
      }
    }
  }

  private async load(): Promise<TemplateStorageFile> {
    const content = await this.file.read();
    if (content.kind === 'present') {
      return content.value;
    }
    // Another read, perhaps of another window, may have set it aside.
    const path = await this.file.setAsidePath();
    return path === undefined ? { version: 1, accounts: {}, drafts: {} } : this.withoutFile(path);
  }

  /** Returns what the secret store still knows. Without it, values that were hidden would be shown. */
  private async withoutFile(path: string): Promise<TemplateStorageFile> {
    if (!this.setAside.has(path)) {
      this.setAside.add(path);
      this.log.warn(`What was remembered about templates was not understood and was kept as ${path}`);
      this.changed.fire(undefined);
    }
    const { names, draftTokens } = await this.storedSecrets();
    const drafts = draftTokens.flatMap((token): [string, StoredDraft][] => {
      const { accountKey } = draftParts(token);
      return accountKey === undefined ? [] : [[token, { accountKey, name: '', text: '', mtime: 0 }]];
    });
    return {
      version: 1,
      accounts: Object.fromEntries([...names].map(([key, all]) => [key, { ...empty, lostNames: [...all] }])),
      drafts: Object.fromEntries(drafts),
    };
  }

  /** Queues a change; it is on disk when this resolves. */
  private edit(change: (file: TemplateStorageFile) => TemplateStorageFile): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (failure: Error | undefined) => {
        if (failure) {
          reject(failure);
        } else {
          resolve();
        }
      };
      this.queued = [...this.queued, { change, settle }];
      void this.write();
    });
  }

  /** Writes the queued changes, then those queued during the write, in one write each. */
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
  const bases = Object.entries(memory.bases);
  return {
    ...memory,
    versions:
      versions.length <= keptVersions
        ? memory.versions
        : Object.fromEntries(versions.sort(([, a], [, b]) => b.mtime - a.mtime).slice(0, keptVersions)),
    bases: bases.length <= keptBases ? memory.bases : Object.fromEntries(bases.slice(-keptBases)),
  };
}
