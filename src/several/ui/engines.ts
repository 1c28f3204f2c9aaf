import type { HostSetTarget, HostsTarget, InstanceTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickFromList } from '../../editor/quickPick';
import { onAccountEnd } from '../../store/accounts/accountEnds';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { HostSet } from '../model/hostSet';
import { HostFileKeeper } from '../store/hostFileKeeper';
import type { HostSets } from '../store/hostSets';
import { setRow } from './chooseHosts';
import type { EngineDeps } from './deps';
import { HostSetGroup } from './hostSetGroup';
import { runningMembers } from './runningMembers';
import { logsOfSeveral, runOnSeveral } from './severalCommands';
import { copyToSeveral, downloadFromSeveral } from './severalTransfers';
import { useInstancesIn, useSetIn, type UseInDeps } from './useIn';

/** Hands instances to tools that use SSH: keeps their files current and proposes first commands. */
export class Engines implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly deps: UseInDeps;

  constructor(shared: EngineDeps, sets: HostSets) {
    const { ssh } = shared;
    const keeper = this.owned.add(
      new HostFileKeeper({
        ...shared,
        sets,
        proved: (account) => provedAliases(ssh, account),
        aliasOf: (account, id) => ssh.aliasOf(account, id),
        onAccountEnd: (end) => onAccountEnd(shared, end),
      }),
    );
    this.deps = { ...shared, sets, keeper };
    this.owned.add(shared.instanceGroups.addGroup(this.owned.add(new HostSetGroup(sets, keeper))));
  }

  dispose(): void {
    this.owned.dispose();
  }

  use(target: InstanceTarget | undefined, all: readonly InstanceTarget[] | undefined): Promise<void> {
    return useInstancesIn(this.deps, target, all);
  }

  runCommand(...rows: Rows): Promise<void> {
    return this.onHosts(runOnSeveral, ...rows);
  }

  copyFiles(...rows: Rows): Promise<void> {
    return this.onHosts(copyToSeveral, ...rows);
  }

  download(...rows: Rows): Promise<void> {
    return this.onHosts(downloadFromSeveral, ...rows);
  }

  showLogs(...rows: Rows): Promise<void> {
    return this.onHosts(logsOfSeveral, ...rows);
  }

  async useSet(target: HostSetTarget | undefined): Promise<void> {
    const account = accountFor(this.deps.accounts);
    const set = await chosen(this.deps, target);
    if (set) {
      await useSetIn(this.deps, account, set);
    }
  }

  async removeSet(target: HostSetTarget | undefined): Promise<void> {
    const account = accountFor(this.deps.accounts);
    const set = await chosen(this.deps, target);
    if (set) {
      await remove(this.deps, account, set);
    }
  }

  /** Runs a command on the given instances, or on those of a group that run. */
  private async onHosts(command: typeof runOnSeveral, target: Rows[0], all: Rows[1]): Promise<void> {
    if (!target || 'instanceId' in target) {
      return command(this.deps, target, all);
    }
    const account = accountFor(this.deps.accounts);
    const set = await chosen(this.deps, target);
    const members = set ? await runningMembers(this.deps, set) : [];
    account();
    if (members.length > 0) {
      await command(
        this.deps,
        undefined,
        members.map(({ id }) => ({ instanceId: id })),
      );
    }
  }
}

/** The row of a menu, then the selected instances. */
type Rows = [target: HostsTarget | undefined, all: readonly InstanceTarget[] | undefined];

async function provedAliases(ssh: EngineDeps['ssh'], account: Account): Promise<readonly string[]> {
  const aliases = await ssh.entries(account);
  const entries = await Promise.all(aliases.map((alias) => ssh.entry(alias)));
  return aliases.filter((_, index) => entries[index]?.isProved === true);
}

async function chosen({ sets }: UseInDeps, target: HostSetTarget | undefined): Promise<HostSet | undefined> {
  await sets.ready;
  if (target) {
    return sets.find(target.hostSetId);
  }
  if (sets.rows.length === 0) {
    if (sets.error instanceof Error) {
      throw sets.error;
    }
    message('info', t('There is no group yet. Use "Use These Instances in…" to create one.'));
    return undefined;
  }
  const answer = await pickFromList<HostSet>({
    title: t('Groups for Other Tools'),
    placeholder: t('Which one?'),
    rows: sets.rows.map(setRow),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function remove({ keeper }: UseInDeps, account: () => Account, set: HostSet): Promise<void> {
  const isSure = await confirm({
    message: t('Remove the group “{0}”?', set.name),
    detail: t("This removes its files in {0}. The instances don't change.", set.folder),
    button: t('Remove'),
  });
  if (isSure) {
    await keeper.remove(account().key, set);
  }
}
