import type { Instance } from '../../model/instances/instance';
import { actionsFor } from '../../model/instances/instanceState';
import type { Account, Accounts } from '../../store/accounts/accounts';
import type { Fleet } from '../../store/instances/fleetStore';
import { isComplete } from '../../store/instances/listed';
import type { WindowHub } from '../../store/windows/windowHub';
import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import type { EngineHost } from '../model/hostFiles';
import { isMember, type HostSet } from '../model/hostSet';
import { removeHostFiles, writeHostFiles, type HostFilesWritten } from './hostFolder';
import type { HostSets } from './hostSets';

export interface HostFileKeeperDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Pick<Fleet, 'state' | 'facts' | 'onDidChange'>;
  readonly hub: Pick<WindowHub, 'isLeader' | 'onDidChangeLeader'>;
  readonly sets: HostSets;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Returns the aliases of the account whose host key a login has proved; tools that can't ask refuse all
   * others.
   */
  readonly proved: (account: Account) => Promise<readonly string[]>;
  readonly aliasOf: (account: Account, instanceId: number) => string;
  /** Calls when an account is signed out; its instances can't be reached from here any more. */
  readonly onAccountEnd: (end: (accountKey: string) => void) => Disposable;
}

/**
 * Keeps the files of all sets in step with the list of instances, in the leading window. A partial list
 * changes nothing, so that a lost answer never removes a machine.
 */
export class HostFileKeeper implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  /** The sets whose files could not be written where they belong. */
  private readonly blocked = new Map<string, Exclude<HostFilesWritten, { kind: 'written' }>>();
  /** What was written last, so that most lists don't touch the disk. */
  private readonly written = new Map<string, string>();
  /** The sets of each account as last read; a sign-out deletes those on disk immediately. */
  private readonly ofAccounts = new Map<string, readonly HostSet[]>();
  private keeping: Promise<void> = Promise.resolve();

  /** Fires when a folder disappears or returns, or is taken by files of others. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly deps: HostFileKeeperDeps) {
    const keep = () => {
      if (deps.hub.isLeader && deps.sets.rows.length > 0) {
        void this.keep();
      }
    };
    const noteSets = () => {
      // While another account was active, or a set was added or removed, nothing watched the files.
      this.written.clear();
      this.noteRows();
      keep();
    };
    this.owned.add(deps.fleet.onDidChange(keep));
    this.owned.add(deps.sets.onDidChange(noteSets));
    noteSets();
    this.owned.add(
      deps.onAccountEnd((accountKey) => {
        void this.queue(() => this.removeFilesOf(this.ofAccounts.get(accountKey) ?? []));
      }),
    );
    this.owned.add(deps.hub.onDidChangeLeader(keep));
  }

  /** Returns whether the folder of the set was removed. */
  isLost(id: string): boolean {
    return this.blocked.get(id)?.kind === 'gone';
  }

  /** Returns the files of others in the place of those of the set. */
  strangersOf(id: string): readonly string[] {
    const blocked = this.blocked.get(id);
    return blocked?.kind === 'strangers' ? blocked.paths : [];
  }

  /** Brings all files up to date with the list; never rejects. */
  keep(): Promise<void> {
    return this.queue(() => this.keepAll()).catch((error: unknown) => {
      this.deps.log.error('The files for other tools could not be written', error);
    });
  }

  /** The same for a set whose files are about to be used: files that were changed or removed there are restored. */
  keepThere(id: string): Promise<void> {
    this.written.delete(id);
    return this.keep();
  }

  /** Removes a set of an account, then its files. Throws when the disk refuses. */
  async remove(accountKey: string, set: HostSet): Promise<void> {
    await this.deps.sets.remove(accountKey, set.id);
    await this.queue(() => removeHostFiles(set.folder, set.name));
  }

  /** The instances of a set that run and have a shell. */
  runningOf(set: HostSet): readonly Instance[] {
    const { fleet, clock } = this.deps;
    const { state } = fleet;
    return state.kind === 'ready'
      ? state.value.instances.filter(
          (instance) =>
            isMember(set.members, instance) &&
            actionsFor(instance, fleet.facts(instance.id), clock.now()).canConnect,
        )
      : [];
  }

  /** Returns those of them that a tool can log in to now. */
  async hostsOf(set: HostSet): Promise<readonly EngineHost[]> {
    const { accounts, proved, aliasOf } = this.deps;
    const { active } = accounts;
    if (!active) {
      return [];
    }
    // Read before the first wait: afterwards another account with other instances may be active.
    const running = this.runningOf(set);
    const known = new Set(await proved(active));
    return running
      .map(({ id, gpuCount = 1, gpuName = '' }) => ({ alias: aliasOf(active, id), gpuCount, gpuName }))
      .filter(({ alias }) => known.has(alias))
      .sort((a, b) => (a.alias < b.alias ? -1 : 1));
  }

  dispose(): void {
    this.owned.dispose();
  }

  /** Runs one action at a time, because a write under way would put removed files there again. */
  private queue(action: () => Promise<void>): Promise<void> {
    const done = this.keeping.then(action);
    this.keeping = done.catch(() => undefined);
    return done;
  }

  /** Notes the sets, and removes what this window may have written while another one removed a set. */
  private noteRows(): void {
    const { accountKey, rows, error, damaged } = this.deps.sets;
    if (accountKey === undefined || error !== undefined) {
      return;
    }
    const before = this.ofAccounts.get(accountKey) ?? [];
    this.ofAccounts.set(accountKey, rows);
    // A damaged set is missing as well, and was not removed by the user.
    const gone = damaged.length > 0 ? [] : before.filter((set) => !rows.some((row) => isSame(row, set)));
    if (gone.length > 0) {
      void this.queue(() => this.removeFilesOf(gone));
    }
  }

  private async keepAll(): Promise<void> {
    const { accounts, fleet, sets, log } = this.deps;
    const { state } = fleet;
    const isWhole = state.kind === 'ready' && state.error === undefined && isComplete(state.value);
    if (!isWhole || sets.accountKey !== accounts.active?.key) {
      return;
    }
    const { accountKey } = sets;
    for (const set of sets.rows) {
      if (accounts.active?.key !== accountKey) {
        return;
      }
      try {
        await this.keepOne(set);
      } catch (error) {
        this.written.delete(set.id);
        log.warn(`The files of the group ${set.name} could not be written: ${String(error)}`);
      }
    }
  }

  private async keepOne(set: HostSet): Promise<void> {
    const hosts = await this.hostsOf(set);
    const content = JSON.stringify([set.folder, set.name, hosts]);
    if (this.written.get(set.id) === content) {
      return;
    }
    const result = await writeHostFiles(set.folder, set.name, hosts);
    const before = JSON.stringify(this.blocked.get(set.id));
    if (result.kind === 'written') {
      this.written.set(set.id, content);
      this.blocked.delete(set.id);
      this.deps.log.info(`The files of the group ${set.name} name ${hosts.length} instances`);
    } else {
      this.blocked.set(set.id, result);
    }
    if (JSON.stringify(this.blocked.get(set.id)) !== before) {
      this.changed.fire();
    }
  }

  private async removeFilesOf(sets: readonly HostSet[]): Promise<void> {
    for (const { id, folder, name } of sets) {
      this.written.delete(id);
      await removeHostFiles(folder, name).catch((error: unknown) => {
        this.deps.log.warn(`The files of the group ${name} could not be removed: ${String(error)}`);
      });
    }
  }
}

/** A set that was removed and added again has another id, and its folder is in use. */
function isSame(one: HostSet, other: HostSet): boolean {
  return one.id === other.id || one.folder === other.folder;
}
