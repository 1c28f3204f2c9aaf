import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../api/client';
import type { Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { replaceFile } from '../../util/replaceFile';
import { accountPath } from '../accounts/accountFiles';

export interface KeptLogsDeps {
  readonly storageDir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Redacts secrets, like the redaction of our own log. */
  readonly redact: (text: string) => string;
  /** Limits in bytes; tests use smaller ones. */
  readonly limits?: { readonly ofOne: number; readonly inAll: number };
}

/** The end of a log shows why a machine ended, so the end is kept. */
const usualLimits = { ofOne: 256 * 1024, inAll: 16 * 1024 * 1024 };
/** A log is useful, but not worth a longer wait. */
const patienceMs = 5000;
/** A log that was read this recently is not read again before a destroy. */
const freshMs = 15_000;
const logLines = 1000;

/** The last logs of instances by account, on disk; they outlive their instances. */
export class KeptLogs {
  /** When a log was kept last (`Clock.elapsed`), by account and instance. */
  private readonly keptAt = new Map<string, number>();
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly deps: KeptLogsDeps) {}

  /**
   * Wraps a client so that it keeps each log it reads, and reads the log of an instance before destroying it.
   */
  around(client: Client, accountKey: string): Client {
    const { instances } = client;
    const logs: Client['instances']['logs'] = async (id, query, options) => {
      const content = await instances.logs(id, query, options);
      if (query.filter === undefined && query.daemon !== true) {
        await this.keep(accountKey, id, content);
      }
      return content;
    };
    return {
      ...client,
      instances: {
        ...instances,
        logs,
        destroy: async (id, options) => {
          await this.capture(id, accountKey, { ...instances, logs });
          return instances.destroy(id, options);
        },
      },
    };
  }

  /** Reads and keeps the log of an instance, within a few seconds; never rejects. */
  async capture(id: number, accountKey: string, instances: Pick<Client['instances'], 'logs'>): Promise<void> {
    const { clock, log } = this.deps;
    const keptAt = this.keptAt.get(`${accountKey}/${id}`);
    if (keptAt !== undefined && clock.elapsed() - keptAt < freshMs) {
      return;
    }
    const abort = new AbortController();
    const timer = clock.schedule(() => abort.abort(), patienceMs);
    try {
      await instances.logs(id, { tail: logLines }, { signal: abort.signal });
    } catch (error) {
      if (!isCancelled(error)) {
        log.info(`The log of ${id} could not be kept: ${String(error)}`);
      }
    } finally {
      timer.dispose();
    }
  }

  /** Returns the kept log, `undefined` without one. Throws when the disk refuses. */
  read(accountKey: string, id: number): Promise<string | undefined> {
    return ifPresent(readFile(this.path(accountKey, id), 'utf8'));
  }

  async remove(accountKey: string, id: number): Promise<void> {
    await rm(this.path(accountKey, id), { force: true });
  }

  /** Stores a log. Never rejects: the caller wants to show it, stored or not. */
  private keep(accountKey: string, id: number, content: string): Promise<void> {
    const { clock, log, redact, limits = usualLimits } = this.deps;
    this.keptAt.set(`${accountKey}/${id}`, clock.elapsed());
    // A log may be empty right after an instance ended, which must not replace the earlier one.
    if (content.trim() === '') {
      return Promise.resolve();
    }
    const done = this.queue.then(async () => {
      await replaceFile(this.path(accountKey, id), endOf(redact(content), limits.ofOne));
      await this.makeRoom(accountKey, limits.inAll);
    });
    this.queue = done.catch((error: unknown) => {
      log.warn(`The log of ${id} could not be kept: ${String(error)}`);
    });
    return this.queue;
  }

  /** Deletes the oldest logs to stay within the limit. */
  private async makeRoom(accountKey: string, inAll: number): Promise<void> {
    const folder = this.folder(accountKey);
    const names = (await readdir(folder)).filter((name) => /^\d+\.log$/.test(name));
    const files = await Promise.all(
      names.map(async (name) => ({ path: join(folder, name), ...(await sizeAndTime(join(folder, name))) })),
    );
    let left = inAll;
    for (const { path, size } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
      left -= size;
      if (left < 0) {
        await rm(path, { force: true });
      }
    }
  }

  private folder(accountKey: string): string {
    return accountPath(this.deps.storageDir, accountKey, 'history');
  }

  private path(accountKey: string, id: number): string {
    return join(this.folder(accountKey), `${id}.log`);
  }
}

async function sizeAndTime(path: string): Promise<{ readonly size: number; readonly mtimeMs: number }> {
  const { size, mtimeMs } = await stat(path);
  return { size, mtimeMs };
}

/** Returns the last whole lines that fit. */
function endOf(content: string, mostBytes: number): string {
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length <= mostBytes) {
    return content;
  }
  const end = bytes.subarray(bytes.length - mostBytes).toString('utf8');
  return end.slice(end.indexOf('\n') + 1);
}
