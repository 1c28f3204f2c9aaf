import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandArguments';
import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { plainLabel } from '../../editor/quickPick';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import type { NotebookConnections } from './connections';
import { explainAbsence, findJupyter } from './jupyter';
import type { ServerList } from './serverList';
import { setUpServer } from './setUp';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock'> & {
  readonly connections: NotebookConnections;
  attach(): Promise<ServerList | undefined>;
};

/** Prepares an instance for the kernel picker, where the user selects it. */
export async function useInNotebook(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  const { accounts, fleet, ssh, clock } = deps;
  const asked = accountFor(accounts);
  const jupyter = await findJupyter();
  if (typeof jupyter === 'string') {
    await explainAbsence(jupyter);
    return;
  }
  const instanceId = await chooseInstance(
    target,
    async () =>
      (await listedInstances(fleet, whileReadingInstances)).filter(
        (one) => actionsFor(one, fleet.facts(one.id), clock.now()).canConnect,
      ),
    { title: t('Use in Notebook'), none: t('You have no running instance to connect to.') },
  );
  if (instanceId === undefined) {
    return;
  }
  const account = asked();
  const instance = fleet.find(instanceId);
  const name = instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  const alias = ssh.aliasOf(account, instanceId);
  const servers = await deps.attach();
  if (!(await setUpServer(deps, { alias, accountKey: account.key, instanceId, name }))) {
    return;
  }
  void servers?.noteUsed(alias);
  const hasNotebook = vscode.window.activeNotebookEditor !== undefined;
  message(
    'info',
    t('{0} is ready for notebooks. Choose GPU Rental in the kernel picker.', name),
    hasNotebook
      ? {
          label: t('Select Kernel'),
          run: () => vscode.commands.executeCommand('notebook.selectKernel'),
        }
      : {
          label: t('New Notebook'),
          run: () => vscode.commands.executeCommand('ipynb.newUntitledIpynb'),
        },
  );
}
