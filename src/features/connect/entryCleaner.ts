import type { Services } from '../../services';
import { isComplete } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { FolderMemory } from './folderMemory';
import type { PlatformEntries } from './platformEntries';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'log'>;

/** Entries vanish with their instance: when a complete list of the account no longer has it. */
export class EntryCleaner implements Disposable {
  private readonly store = new DisposableStore();
  private cleaning: Promise<void> = Promise.resolve();
  private last = '';
  private accountKey: string | undefined;

  constructor(
    private readonly deps: Deps,
    private readonly folders: FolderMemory,
    private readonly platforms: PlatformEntries,
  ) {
    const then = (step: () => Promise<void>) => () => {
      this.cleaning = this.cleaning.then(step).catch((error: unknown) => {
        deps.log.error('SSH entries of instances that are gone could not be removed', error);
      });
    };
    this.store.add(deps.fleet.onDidChange(then(() => this.clean())));
    this.store.add(deps.accounts.onDidChange(then(() => this.forgetSignedOut())));
  }

  dispose(): void {
    this.store.dispose();
  }

  /** The entries of an account go when it is signed out; what is remembered about them goes with them. */
  private async forgetSignedOut(): Promise<void> {
    const key = this.deps.accounts.active?.key;
    if (key === this.accountKey) {
      return;
    }
    this.accountKey = key;
    const entries = await this.deps.ssh.entries();
    await this.folders.keepOnly(entries);
    await this.platforms.keepOnly(entries);
  }

  private async clean(): Promise<void> {
    const { accounts, fleet, ssh, log } = this.deps;
    const { state } = fleet;
    const account = accounts.active;
    // A list that failed, is old or is partial says nothing about what is gone.
    if (!account || state.kind !== 'ready' || state.error !== undefined) {
      return;
    }
    if (!isComplete(state.value)) {
      return;
    }
    const ids = state.value.instances.map((instance) => instance.id);
    const seen = `${account.key} ${[...ids].sort().join()}`;
    if (seen === this.last) {
      return;
    }
    const gone = await ssh.prune(account, ids, state.fetchedAt);
    if (gone.length > 0) {
      log.info(`Removed the SSH entries of ${gone.join(', ')}`);
      await this.folders.forget(gone);
    }
    await this.platforms.keepOnly(await ssh.entries());
    // An entry that is younger than the list is looked at again with the next one.
    this.last = (await ssh.entries(account)).length <= ids.length ? seen : '';
  }
}
