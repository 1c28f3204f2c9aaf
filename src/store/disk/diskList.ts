import * as z from 'zod';
import { channel, type Channel, type Talk } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import type { ActiveAccount } from '../../shared/reading';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';

export interface DiskListDeps<Files> {
  /** Topic of the messages between windows, unique for each list. */
  readonly topic: string;
  readonly accounts: Pick<ActiveAccount<{ readonly key: string }>, 'active' | 'onDidChange'>;
  readonly hub: Talk & { readonly onDidChangeLeader: Event<boolean> };
  readonly clock: Pick<Clock, 'schedule'>;
  readonly log: Log;
  /** Returns the files of an account. */
  readonly open: (accountKey: string) => Files;
  /** Log text for rows that can't be read from disk. */
  readonly unreadable: string;
}

const change = z.object({ accountKey: z.string() });

/** How long after a refusal of the disk the rows are read again (ms). */
const readAgainMs = 15_000;

/** The files of one account. */
export interface RowFiles<Row> {
  list(): Promise<readonly Row[]>;
  /** Why rows of the last `list` are missing or old, where the others were read. */
  readonly refused?: unknown;
  /** The paths of damaged files that were set aside, each of which held a row. */
  readonly damaged?: readonly string[];
}

/** Rows of the active account on disk, the same in all windows; call `publishChange` after each change of a file. */
export class DiskList<Row, Files extends RowFiles<Row>> implements Disposable {
  /** The account of the files, also once another account is active. */
  private readonly keys = new WeakMap<Files, string>();
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  private readonly again = this.owned.add(new MutableDisposable<Disposable>());
  private readonly changes: Channel<z.infer<typeof change>>;
  private key: string | undefined;
  private opened: Files | undefined;
  private list: readonly Row[] = [];
  private problem: unknown;
  private readonly reads = new NextRead(() => this.read());
  private loading: Promise<void> = Promise.resolve();
  /** How often rows were changed without reading the disk. */
  private replacements = 0;

  /** Fires after each read, including that of another account. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: DiskListDeps<Files>) {
    this.changes = channel(deps.topic, change);
    this.owned.add(
      this.changes.on(deps.hub, ({ accountKey }) => {
        if (accountKey === this.key) {
          void this.load();
        }
      }),
    );
    // This window missed messages that were sent while it had no leader.
    this.owned.add(deps.hub.onDidChangeLeader(() => void this.load()));
    this.owned.add(
      followAccount(deps.accounts, (account) => {
        this.key = account?.key;
        this.list = [];
        this.opened = account && this.openFiles(account.key);
        void this.load();
      }),
    );
  }

  get rows(): readonly Row[] {
    return this.list;
  }

  /** The account of these rows. */
  get accountKey(): string | undefined {
    return this.key;
  }

  /** `undefined` if no account is signed in. */
  get files(): Files | undefined {
    return this.opened;
  }

  /** The files of any account, for a change that began while it was active. */
  filesOf(accountKey: string): Files {
    return this.opened !== undefined && accountKey === this.key ? this.opened : this.openFiles(accountKey);
  }

  /** The rows as text, which is the same as long as they are. */
  get text(): string {
    return JSON.stringify(this.list);
  }

  /** Why the rows could not be read; those read before are kept. */
  get error(): unknown {
    return this.problem;
  }

  /** Why all rows or some are missing or old. */
  get anyError(): unknown {
    return this.problem ?? this.opened?.refused;
  }

  get damaged(): readonly string[] {
    return this.opened?.damaged ?? [];
  }

  /** Settles when the rows of the active account are loaded. */
  get ready(): Promise<void> {
    return this.loading;
  }

  /**
   * Reads the rows again, here and in other windows. `files` are the changed ones, because the active account may have
   * changed during the write. Never rejects.
   */
  async publishChange(files: Files | undefined): Promise<void> {
    const key = files && this.keys.get(files);
    this.notifyOthers(key);
    await (key === this.key ? this.load() : this.loading);
  }

  /** Reads the rows again here, and in other windows only if they have changed. Never rejects. */
  async reread(): Promise<void> {
    const { key, text } = this;
    await this.load();
    if (key === this.key && text !== this.text) {
      this.notifyOthers(key);
    }
  }

  /** Applies a change without reading the disk. */
  replace(change: (row: Row) => Row): void {
    this.list = this.list.map(change);
    this.replacements += 1;
    this.notifyOthers(this.key);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private openFiles(accountKey: string): Files {
    const files = this.deps.open(accountKey);
    this.keys.set(files, accountKey);
    return files;
  }

  private notifyOthers(accountKey: string | undefined): void {
    if (accountKey !== undefined) {
      this.changes.send(this.deps.hub, { accountKey });
    }
  }

  /** Reads the rows; when it settles, they include everything written before the call. Never rejects. */
  private load(): Promise<void> {
    this.loading = this.reads.ask();
    return this.loading;
  }

  private async read(): Promise<void> {
    const { opened, replacements } = this;
    let list: readonly Row[] | undefined;
    let problem: unknown;
    try {
      list = (await opened?.list()) ?? [];
    } catch (error) {
      problem = error;
    }
    if (opened !== this.opened || this.owned.isDisposed) {
      // The files of the account that is active now are read next.
      return;
    }
    if (list && replacements !== this.replacements) {
      // It may date from before the change.
      await this.read();
      return;
    }
    // Once, however often it is read again.
    if (!list && String(problem) !== String(this.problem)) {
      this.deps.log.warn(`${this.deps.unreadable}: ${String(problem)}`);
    }
    this.list = list ?? this.list;
    this.problem = problem;
    this.readAgainWhereRefused();
    this.changed.fire();
  }

  /** A disk that refuses for a moment must not hide rows for the rest of the session. */
  private readAgainWhereRefused(): void {
    this.again.value =
      this.anyError !== undefined ? this.deps.clock.schedule(() => void this.load(), readAgainMs) : undefined;
  }
}
