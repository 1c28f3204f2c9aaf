import type { SearchWatch } from '../../model/offers/searchWatch';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { accountPath } from '../accounts/accountFiles';
import { DiskList } from '../disk/diskList';
import { newOwnId } from '../disk/rowFolder';
import { WatchChecks, type WatchChecksDeps } from './watchChecks';
import { WatchFiles, type WatchOnDisk } from './watchFiles';

export interface WatchRow extends WatchOnDisk {
  readonly isChecking: boolean;
}

export interface SearchWatchesDeps extends Omit<WatchChecksDeps, 'list'> {
  readonly storageDir: string;
}

/** The watched searches of the active account: every window lists and changes them, and the leading one runs them. */
export class SearchWatches implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly list: DiskList<WatchOnDisk, WatchFiles>;
  private readonly checks: WatchChecks;

  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: SearchWatchesDeps) {
    this.list = this.owned.add(
      new DiskList({
        ...deps,
        topic: 'watches.changed',
        open: (accountKey) => new WatchFiles(accountPath(deps.storageDir, accountKey, 'watches'), deps.log),
        unreadable: 'The watched searches could not be read',
      }),
    );
    this.checks = this.owned.add(new WatchChecks({ ...deps, list: this.list }));
    this.owned.add(this.list.onDidChange(() => this.changed.fire()));
    this.owned.add(this.checks.onDidChange(() => this.changed.fire()));
  }

  /** Fires in every window, again with each check while offers match; claim the find before showing it. */
  get onDidFind() {
    return this.checks.onDidFind;
  }

  /** Watches, oldest first; empty without an account. */
  get rows(): readonly WatchRow[] {
    return this.list.rows.map((row) => ({ ...row, isChecking: this.checks.current === row.watch.id }));
  }

  /** The error of the last read from disk. */
  get error(): unknown {
    return this.list.anyError;
  }

  /** The paths of damaged files that were set aside, each of which held a watch. */
  get damaged(): readonly string[] {
    return this.list.damaged;
  }

  /** Settles once the list belongs to the active account. */
  get ready(): Promise<void> {
    return this.list.ready;
  }

  /** Adds a watch. Throws without an account or when the disk refuses. */
  async add(input: Omit<SearchWatch, 'id' | 'createdAt'>): Promise<SearchWatch> {
    const watch = { ...input, id: newOwnId(), createdAt: this.deps.clock.now() };
    await this.put(watch);
    return watch;
  }

  async change(id: string, changes: Partial<Pick<SearchWatch, 'name' | 'maxPerHour'>>): Promise<void> {
    const row = this.list.rows.find(({ watch }) => watch.id === id);
    if (row) {
      await this.put({ ...row.watch, ...changes });
    }
  }

  async remove(id: string): Promise<void> {
    this.checks.cancel(id);
    const { files } = this.list;
    await files?.remove(id);
    await this.list.publishChange(files);
  }

  /** Asks the leading window for a check as soon as the service's limit allows. */
  async checkNow(id: string): Promise<void> {
    this.checks.want(id);
    await this.list.publishChange(this.list.files);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async put(watch: SearchWatch): Promise<void> {
    const { files } = this.list;
    if (!files) {
      throw new UserError(text('You are not signed in. Sign in first.'), {
        nextStep: 'signIn',
      });
    }
    await files.put(watch);
    this.checks.want(watch.id);
    await this.list.publishChange(files);
  }
}
