import type { HostSetTarget } from '../../commandArguments';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { pickFromList } from '../../editor/quickPick';
import { message } from '../../editor/message';
import type { HostSet } from '../../model/engines/hostSet';
import { HostFileKeeper } from '../../store/engines/hostFileKeeper';
import { removeHostFiles } from '../../store/engines/hostFolder';
import { HostSets } from '../../store/engines/hostSets';
import type { Account } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { membersText } from './chooseHosts';
import type { EngineDeps } from './deps';
import { HostSetGroup } from './hostSetGroup';
import { copyToSeveral, logsOfSeveral, runOnSeveral } from './severalCommands';
import { useInstancesIn, useSetIn, type UseInDeps } from './useIn';

/** Instances in tools that work by SSH: files that stay current, and commands to begin with. */
export function register(shared: EngineDeps): Disposable {
  const store = new DisposableStore();
  const { ssh, accountCleanup, commands } = shared;
  const sets = store.add(new HostSets(shared));
  const keeper = store.add(
    new HostFileKeeper({
      ...shared,
      sets,
      proved: (account) => provedAliases(ssh, account),
      aliasOf: (account, id) => ssh.aliasOf(account, id),
      onDidRemoveAccount: accountCleanup.onDidRemove,
    }),
  );
  const deps: UseInDeps = { ...shared, sets, keeper };
  store.add(shared.instanceGroups.addGroup(store.add(new HostSetGroup(sets, keeper))));
  store.add(
    commands.register('gpuRental.instance.useIn', (target, all) => useInstancesIn(deps, target, all)),
  );
  store.add(
    commands.register('gpuRental.instances.runCommand', (target, all) => runOnSeveral(deps, target, all)),
  );
  store.add(
    commands.register('gpuRental.instances.copyFiles', (target, all) => copyToSeveral(deps, target, all)),
  );
  store.add(
    commands.register('gpuRental.instances.showLogs', (target, all) => logsOfSeveral(deps, target, all)),
  );
  const ofOne = (run: (set: HostSet) => Promise<void>) => async (target?: HostSetTarget) => {
    const set = await chosen(deps, target);
    if (set) {
      await run(set);
    }
  };
  store.add(
    commands.register(
      'gpuRental.hostSet.use',
      ofOne((set) => useSetIn(deps, set)),
    ),
  );
  store.add(
    commands.register(
      'gpuRental.hostSet.remove',
      ofOne((set) => remove(deps, set)),
    ),
  );
  return store;
}

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
    message('info', t('There is no group. "Use These Instances in…" makes one.'));
    return undefined;
  }
  const answer = await pickFromList<HostSet>({
    title: t('Groups for Other Tools'),
    placeholder: t('Which group?'),
    rows: sets.rows.map((set) => ({
      id: set.id,
      icon: 'references',
      label: set.name,
      description: membersText(set.members),
      detail: set.folder,
      value: set,
    })),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function remove({ sets }: UseInDeps, set: HostSet): Promise<void> {
  const isSure = await confirm({
    message: t('Remove the group “{0}”?', set.name),
    detail: t('Its files in {0} are removed. Nothing on any instance changes.', set.folder),
    button: t('Remove'),
  });
  if (isSure) {
    await sets.remove(set.id);
    await removeHostFiles(set.folder, set.name);
  }
}
