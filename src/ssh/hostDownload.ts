import { basename } from 'node:path/posix';
import type { Clock } from '../util/clock';
import { defined } from '../util/defined';
import { inParallel } from '../util/inParallel';
import type { Place } from '../util/realPlace';
import type { DownloadOptions } from './download';
import { makeInnerLinks } from './innerLinks';
import { LocalFiles } from './localFiles';
import { possibleHere, remoteProblem, withoutActing, type RemoteEntry, type RemoteTree } from './remoteTree';
import { copyFromDaemon, type OpenDaemon } from './rsync/daemonCopy';
import type { ListedFile } from './rsync/fileList';
import type { SshService } from './service';
import {
  askToReplace,
  reasons,
  Steps,
  sumOf,
  type LeftOut,
  type TransferDeps,
  type TransferOptions,
  type TransferOutcome,
} from './transfer';

/** A stopped instance, whose files its host serves. */
export interface ServedInstance extends Pick<TransferDeps, 'clock' | 'platform'> {
  /** The host's name for the instance. */
  readonly module: string;
  readonly open: OpenDaemon;
}

/** An account whose service says where a host gives files away. */
interface CopyingAccount {
  readonly client: {
    readonly copies: {
      host(
        from: { readonly instanceId: number; readonly path: string },
        options: { readonly signal?: AbortSignal | undefined },
      ): Promise<{ readonly host: string; readonly port: number }>;
    };
  };
}

/** Returns an instance whose files its host serves; the service opens that anew for each copy. */
export function servedInstance(
  { clock, ssh }: { readonly clock: Clock; readonly ssh: Pick<SshService, 'execOnHost'> },
  alias: string,
  instanceId: number,
  { client }: CopyingAccount,
): ServedInstance {
  return {
    clock,
    platform: process.platform,
    module: `C.${instanceId}`,
    open: async (options) => {
      const host = await client.copies.host({ instanceId, path: '/root/' }, { signal: options.signal });
      return ssh.execOnHost(alias, host, options);
    },
  };
}

export interface ServedFiles {
  /** The absolute path of a folder of the instance. */
  readonly folder: string;
  /** What precedes the paths below that folder in all names here; empty or with a slash at its end. */
  readonly prefix: string;
  readonly tree: RemoteTree;
  /** The targets of links. */
  readonly targets: ReadonlyMap<string, string>;
  /** SHA-256 of files, where the instance stated them; a file with another hash is discarded. */
  readonly hashes?: ReadonlyMap<string, string>;
}

const width = 8;

/** Copies what a tree names, and nothing else. Files of the same size and time, or the same hash, are skipped. */
export async function fetchServed(
  instance: ServedInstance,
  files: ServedFiles,
  into: Place,
  options: TransferOptions = {},
): Promise<TransferOutcome> {
  return new Fetch(instance, files, into, options).run();
}

/**
 * Copies a folder of a stopped instance into a local folder. Its host states no hashes, so both sides are compared by
 * names, sizes and times only.
 */
export async function downloadServed(
  instance: ServedInstance,
  remote: string,
  into: Place,
  { withActing: isActingWanted = false, ...options }: DownloadOptions = {},
): Promise<TransferOutcome> {
  const root = basename(remote);
  const targets = new Map<string, string>();
  const found: RemoteEntry[] = [];
  const leftOut: LeftOut[] = [];
  await copyFromDaemon(instance.open, {
    module: instance.module,
    folder: remote.replace(/(?<!\/)\/+$/, ''),
    signal: options.signal,
    choose: (listed) => {
      for (const file of listed) {
        const entry = entryOf(file, root);
        const why = remoteProblem(entry, root);
        if (why) {
          leftOut.push({ name: entry.name, why });
          continue;
        }
        found.push(entry);
        if (file.target !== undefined) {
          targets.set(entry.name, file.target);
        }
      }
      return [];
    },
    write: () => Promise.resolve(),
  });
  const all = { entries: found, leftOut };
  const tree = isActingWanted ? all : withoutActing(all);
  return fetchServed(instance, { folder: remote, prefix: `${root}/`, tree, targets }, into, options);
}

function entryOf({ path, ...facts }: ListedFile, root: string): RemoteEntry {
  const below = path.toString('utf8');
  const { kind, size, modified, isPrivate } = facts;
  return { name: below === '.' ? root : `${root}/${below}`, kind, size, modified, isPrivate };
}

class Fetch {
  private readonly local: LocalFiles;
  private readonly leftOut: LeftOut[] = [];

  constructor(
    private readonly instance: ServedInstance,
    private readonly files: ServedFiles,
    into: Place,
    private readonly options: TransferOptions,
  ) {
    this.local = new LocalFiles(into, files.hashes);
  }

  async run(): Promise<TransferOutcome> {
    const { local, leftOut } = this;
    const { entries, leftOut: impossible } = possibleHere(this.files.tree, this.instance.platform);
    leftOut.push(...impossible);
    for (const { name, isPrivate } of entries.filter(({ kind }) => kind === 'folder')) {
      await local.makeFolder(name, isPrivate);
    }
    const files = entries.filter(({ kind }) => kind === 'file');
    const todo = new Set<string>();
    await inParallel(files, width, async (file) => {
      if (!(await local.isHere(file))) {
        todo.add(file.name);
      }
    });
    const wanted = files.filter(({ name }) => todo.has(name));
    await askToReplace(this.options, await local.existing(wanted));
    if (wanted.length > 0) {
      await this.bring(wanted, sumOf(files));
    }
    this.leave(wanted.filter(({ name }) => !local.hasArrived(name)));
    await this.makeLinks(entries);
    const done = files.filter(({ name }) => !todo.has(name) || local.hasArrived(name));
    return defined<TransferOutcome>({
      files: done.length,
      bytes: sumOf(done),
      leftOut,
      notKept: local.notKept,
    });
  }

  private leave(entries: readonly RemoteEntry[]): void {
    const whyOf = (name: string) => this.local.refused.get(name) ?? reasons.missing;
    this.leftOut.push(...entries.map(({ name }) => ({ name, why: whyOf(name) })));
  }

  private async makeLinks(entries: readonly RemoteEntry[]): Promise<void> {
    const { targets } = this.files;
    this.leave(entries.filter(({ name, kind }) => kind === 'link' && !targets.has(name)));
    this.leftOut.push(...(await makeInnerLinks(this.local, entries, targets)));
  }

  private async bring(wanted: readonly RemoteEntry[], total: number): Promise<void> {
    const { clock, module, open } = this.instance;
    const { folder, prefix } = this.files;
    const { signal, onProgress } = this.options;
    const steps = new Steps(clock, onProgress, wanted.length, total - sumOf(wanted), total);
    const byName = new Map(wanted.map((file) => [file.name, file]));
    const listedAs = ({ path }: ListedFile) => byName.get(`${prefix}${path.toString('utf8')}`);
    await copyFromDaemon(open, {
      module,
      folder: folder.replace(/(?<!\/)\/+$/, ''),
      signal,
      // Chosen from a list of its own, which may have other sizes than the first list.
      choose: (files) =>
        files.filter((file) => {
          const listed = listedAs(file);
          return file.kind === 'file' && listed !== undefined && file.size <= listed.size;
        }),
      write: async (served, content) => {
        const file = listedAs(served);
        if (file) {
          steps.next();
          await this.local.attempt(file.name, async () => {
            try {
              await this.local.write(file, 0, content, (count) => {
                steps.add(count);
              });
            } finally {
              await this.local.forget(file);
            }
          });
        }
      },
    });
  }
}
