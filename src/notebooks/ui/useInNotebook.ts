import * as vscode from 'vscode';
import type { CommandId, InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { orCancelled } from '../../util/cancellation';
import { plainLabel } from '../../util/plainLabel';
import type { NotebookConnections } from './connections';
import { explainAbsence, findJupyter } from './jupyter';
import type { NotebookFolders } from './notebookFolders';
import type { ServerList } from './serverList';
import { setUpServer } from './setUp';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock'> & {
  readonly connections: NotebookConnections;
  readonly folders: NotebookFolders;
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
  const chosen = await chooseRunning(deps, target, 'gpuRental.instance.useInNotebook');
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
  const machine = { alias, accountKey: account.key, instanceId };
  await deps.folders.addKernels(machine);
  const notebook = deps.folders.withoutFolder(alias);
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
    notebook && { label: t('Mirror Folder…'), run: () => deps.folders.mirror(machine, notebook) },
  );
}

type ShowKernelsDeps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock'> & {
  readonly connections: NotebookConnections;
};

/**
 * Lists the kernels of an instance below it, also in a window that no notebook has connected to it, for example after a
 * reload. Starts nothing there.
 */
export async function showKernels(deps: ShowKernelsDeps, target: InstanceTarget | undefined): Promise<void> {
  const { accounts, ssh, connections } = deps;
  const asked = accountFor(accounts);
  const chosen = await chooseRunning(deps, target, 'gpuRental.instance.showKernels');
  if (!chosen) {
    return;
  }
  const { instanceId, name } = chosen;
  const account = asked();
  if ((await runCommand('gpuRental.prepareSsh', { instanceId, accountKey: account.key })) === undefined) {
    return;
  }
  const alias = ssh.aliasOf(account, instanceId);
  const kernels = await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
    orCancelled(connections.find(alias), signal),
  );
  if (kernels.length === 0) {
    message('info', t('No kernel of a notebook is running on {0}.', name));
    return;
  }
  asked();
  await runCommand('gpuRental.instance.reveal', { instanceId });
}

/** Returns the instance of a row, or one of those that a login can reach, with its name. */
async function chooseRunning(
  deps: Pick<Services, 'fleet' | 'clock'>,
  target: InstanceTarget | undefined,
  command: CommandId,
): Promise<{ readonly instanceId: number; readonly name: string } | undefined> {
  const instanceId = await chooseInstance(
    target,
    () => connectableInstances(deps, whileReadingInstances),
    command,
  );
  if (instanceId === undefined) {
    return undefined;
  }
  const instance = deps.fleet.find(instanceId);
  return { instanceId, name: instance ? plainLabel(instanceName(instance)) : `#${instanceId}` };
}
