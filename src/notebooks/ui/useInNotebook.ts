import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandArguments';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import { chooseRunning } from './chooseRunning';
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
  const { accounts, ssh } = deps;
  const asked = accountFor(accounts);
  const jupyter = await findJupyter();
  if (typeof jupyter === 'string') {
    await explainAbsence(jupyter);
    return;
  }
  const chosen = await chooseRunning(deps, target, t('Use in Notebook'));
  if (!chosen) {
    return;
  }
  const { instanceId, name } = chosen;
  const account = asked();
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
