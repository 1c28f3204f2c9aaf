import type * as vscode from 'vscode';
import type { AccountRef } from '../../model/accounts/account';
import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { tidyAfterMs } from '../../store/instances/ends';
import { isComplete } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { LastFolders } from './folders';
import type { PlatformEntries } from './platformEntries';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'log'>;

const key = 'gpuRental.connect.endedEntries';
type Ended = Readonly<Record<string, number>>;

/** Removes entries a day after their instance was proved to be gone, in case the service was wrong. */
export class EntryCleaner implements Disposable {
  private readonly store = new DisposableStore();
  private cleaning: Promise<void> = Promise.resolve();
  private last = '';

  constructor(
    private readonly deps: Deps,
    private readonly folders: LastFolders,
    private readonly platforms: PlatformEntries,
    private readonly state: Pick<vscode.Memento, 'get' | 'update'>,
  ) {
    const then = (step: () => Promise<void>) => () => {
      this.cleaning = this.cleaning.then(step).catch((error: unknown) => {
        deps.log.error('SSH entries of instances that are gone could not be removed', error);
      });
    };
    this.store.add(deps.fleet.onDidChange(then(() => this.clean())));
    const forgetSignedOut = then(() => this.forgetSignedOut());
    this.store.add(
      followAccount(deps.accounts, () => {
        forgetSignedOut();
      }),
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Removes the entries of signed-out accounts, with everything remembered about them. */
  private async forgetSignedOut(): Promise<void> {
    const entries = await this.deps.ssh.entries();
    await this.folders.keepOnly(entries);
    await this.platforms.keepOnly(entries);
  }

  private async clean(): Promise<void> {
    const { accounts, fleet, ssh, log } = this.deps;
    const { state } = fleet;
    const account = accounts.active;
    // A failed, old or partial list does not prove that an instance is gone.
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
    const kept = await this.keptIds(account);
    const gone = await ssh.prune(account, [...ids, ...kept], state.fetchedAt);
    if (gone.length > 0) {
      log.info(`Removed the SSH entries of ${gone.join(', ')}`);
      await this.folders.forget(gone);
    }
    await this.platforms.keepOnly(await ssh.entries());
    // An entry that outlives its instance is checked again with the next list.
    this.last = (await ssh.entries(account)).length <= ids.length ? seen : '';
  }

  /** Returns missing instances whose entries stay for now. */
  private async keptIds(account: AccountRef): Promise<readonly number[]> {
    const { fleet, ssh, clock } = this.deps;
    const now = clock.now();
    const before = this.state.get<Ended>(key) ?? {};
    const ended: Record<string, number> = {};
    const kept: number[] = [];
    for (const alias of await ssh.entries(account)) {
      const id = Number(/(?<!\d)\d+$/.exec(alias)?.[0]);
      if (fleet.find(id)) {
        continue;
      }
      if (fleet.hasEnded(id)) {
        // A clock that was set back restarts the wait.
        ended[alias] = Math.min(before[alias] ?? now, now);
      }
      if (now - (ended[alias] ?? now) <= tidyAfterMs) {
        kept.push(id);
      }
    }
    if (JSON.stringify(ended) !== JSON.stringify(before)) {
      await this.state.update(key, ended);
    }
    return kept;
  }
}
