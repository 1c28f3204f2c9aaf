import * as z from 'zod';
import { accountPath, accountsWith } from '../../store/accounts/accountFiles';
import { DiskList, type DiskListDeps } from '../../store/disk/diskList';
import { newOwnId, ownId, RowFolder } from '../../store/disk/rowFolder';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { setNameProblem, type HostSet } from '../model/hostSet';
import { realFolder } from './hostFolder';

interface HostSetsDeps extends Pick<DiskListDeps<HostSetFiles>, 'accounts' | 'hub' | 'log'> {
  readonly clock: Clock;
  readonly storageDir: string;
}

/** A set with the account that it belongs to. */
interface OwnedSet extends HostSet {
  readonly accountKey: string;
}

/** The sets of instances that the active account shares with other tools, the same in all windows. */
export class HostSets implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly list: DiskList<HostSet, HostSetFiles>;

  constructor(private readonly deps: HostSetsDeps) {
    this.list = this.owned.add(
      new DiskList<HostSet, HostSetFiles>({
        ...deps,
        topic: 'hostSets.changed',
        open: (accountKey) => filesOf(deps, accountKey),
        unreadable: 'The groups of instances could not be read',
      }),
    );
  }

  get onDidChange() {
    return this.list.onDidChange;
  }

  /** Oldest first; empty without an account. */
  get rows(): readonly HostSet[] {
    return this.list.rows;
  }

  get accountKey(): string | undefined {
    return this.list.accountKey;
  }

  /** The error of the last read from disk. */
  get error(): unknown {
    return this.list.anyError;
  }

  /** The paths of damaged files that were set aside, each of which held a set. */
  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(id: string): HostSet | undefined {
    return this.rows.find((set) => set.id === id);
  }

  /**
   * Returns the sets of every account on this computer, because all keep files on the same disk. Throws when the disk
   * refuses, since a set that can't be read may have any folder.
   */
  async everywhere(): Promise<readonly OwnedSet[]> {
    const { storageDir } = this.deps;
    const accountKeys = await accountsWith(storageDir, 'hostSets');
    const all = await Promise.all(
      accountKeys.map(async (accountKey) => {
        const files = filesOf(this.deps, accountKey);
        const sets = await files.list();
        if (files.refused instanceof Error) {
          throw files.refused;
        }
        return sets.map((set) => ({ ...set, accountKey }));
      }),
    );
    return all.flat();
  }

  /** Returns the set, of whichever account, that keeps its files in this folder. */
  async inFolder(folder: string): Promise<OwnedSet | undefined> {
    const real = await realFolder(folder);
    for (const set of await this.everywhere()) {
      if ((await realFolder(set.folder)) === real) {
        return set;
      }
    }
    return undefined;
  }

  /** Adds a set to an account. Throws when the disk refuses. */
  async add(accountKey: string, input: Omit<HostSet, 'id' | 'createdAt'>): Promise<HostSet> {
    const files = this.list.filesOf(accountKey);
    const set = { ...input, id: newOwnId(), createdAt: this.deps.clock.now() };
    await files.put(set);
    await this.list.publishChange(files);
    return set;
  }

  /** Removes a set of an account; its files stay unchanged. */
  async remove(accountKey: string, id: string): Promise<void> {
    const files = this.list.filesOf(accountKey);
    await files.remove(id);
    await this.list.publishChange(files);
  }

  dispose(): void {
    this.owned.dispose();
  }
}

function filesOf(
  { storageDir, log }: Pick<HostSetsDeps, 'log' | 'storageDir'>,
  accountKey: string,
): HostSetFiles {
  return new HostSetFiles(accountPath(storageDir, accountKey, 'hostSets'), log);
}

const members = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('running') }),
  z.object({ kind: z.literal('label'), pattern: z.string() }),
  z.object({ kind: z.literal('chosen'), ids: z.array(z.int().nonnegative()).readonly() }),
]);

const shape = z.object({
  version: z.literal(1),
  name: z.string().refine((name) => setNameProblem(name) === undefined),
  folder: z.string().min(1),
  members,
  createdAt: z.number(),
});

/** The sets of one account, oldest first. */
class HostSetFiles extends RowFolder<HostSet> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, ownId, log);
  }

  async put({ id, ...set }: HostSet): Promise<void> {
    await this.file(id, shape).write({ version: 1, ...set });
  }

  remove(id: string): Promise<void> {
    return this.file(id, shape).remove();
  }

  async read(id: string): Promise<HostSet | undefined> {
    const set = await this.file(id, shape).value();
    return set && { id, name: set.name, folder: set.folder, members: set.members, createdAt: set.createdAt };
  }

  protected order(one: HostSet, other: HostSet): number {
    return one.createdAt - other.createdAt;
  }
}
