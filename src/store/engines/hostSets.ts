import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { HostSet } from '../../model/engines/hostSet';
import { DiskList, type DiskListDeps } from '../../shared/diskList';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { HostSetFiles } from './hostSetFiles';

export interface HostSetsDeps extends Pick<DiskListDeps<HostSetFiles>, 'accounts' | 'hub' | 'log'> {
  readonly clock: Clock;
  readonly storageDir: string;
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
        open: (accountKey) => new HostSetFiles(join(deps.storageDir, 'hostSets', accountKey)),
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
    return this.list.error ?? this.list.files?.refused;
  }

  /** The paths of damaged files that were set aside, each of which held a set. */
  get damaged(): readonly string[] {
    return this.list.files?.damaged ?? [];
  }

  /** Settles once the rows belong to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  find(id: string): HostSet | undefined {
    return this.rows.find((set) => set.id === id);
  }

  /** Adds a set. Throws without an account or when the disk refuses. */
  async add(input: Omit<HostSet, 'id' | 'createdAt'>): Promise<HostSet> {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('Sign in first.'), { nextStep: 'signIn' });
    }
    const set = { ...input, id: randomBytes(4).toString('hex'), createdAt: this.deps.clock.now() };
    await files.put(set);
    await this.list.tellChanged(files);
    return set;
  }

  /** Removes a set; its files stay unchanged. */
  async remove(id: string): Promise<void> {
    const { files } = this.list;
    await files?.remove(id);
    await this.list.tellChanged(files);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
