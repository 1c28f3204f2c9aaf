import * as vscode from 'vscode';
import type { KernelTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { isNotebook } from '../../editor/documentTrigger';
import { t } from '../../editor/localize';
import type { Services } from '../../services';
import { shutDownKernel } from '../../ssh/notebooks/kernels';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { NotebookConnections } from './connections';
import { isJupyter } from './jupyterTypes';
import { KernelRows } from './kernelRows';
import { ServerList } from './serverList';
import { candidatesOf, ServerProvider } from './serverProvider';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'ssh'
  | 'clock'
  | 'commands'
  | 'instanceGroups'
  | 'presence'
  | 'redactor'
  | 'report'
  | 'log'
  | 'storageDir'
>;

/** Kernels of instances for notebooks of this computer, by the Jupyter extension where it is installed. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const connections = store.add(new NotebookConnections(deps));
  store.add(deps.instanceGroups.addInstanceRows(new KernelRows(deps, connections)));
  store.add(
    deps.commands.register('gpuRental.kernel.shutDown', (target) =>
      shutDown({ ...deps, connections }, target),
    ),
  );
  let isAttached = false;
  const look = () => {
    if (!isAttached && vscode.workspace.notebookDocuments.some(isNotebook)) {
      isAttached = true;
      void attach(deps, connections, store).then((hasWorked) => {
        isAttached = hasWorked;
      }, deps.report.error.bind(deps.report));
    }
  };
  store.add(vscode.workspace.onDidOpenNotebookDocument(look));
  // Jupyter may be installed while a notebook is open.
  store.add(vscode.extensions.onDidChange(look));
  look();
  return store;
}

/** Offers the instances in the kernel picker; false where there is no Jupyter extension that can show them. */
async function attach(
  deps: Deps,
  connections: NotebookConnections,
  store: DisposableStore,
): Promise<boolean> {
  const extension = vscode.extensions.getExtension<unknown>('ms-toolsai.jupyter');
  const exported = extension?.isActive === true ? extension.exports : await extension?.activate();
  if (!isJupyter(exported)) {
    return false;
  }
  const { accounts, fleet } = deps;
  const servers = store.add(new ServerList(deps.storageDir, deps.log));
  await servers.loaded;
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(
    servers.onDidChange(() => {
      changed.fire();
    }),
  );
  const update = () => {
    servers.update(accounts.active?.key, candidatesOf(deps), (id) => fleet.hasEnded(id));
  };
  store.add(fleet.onDidChange(update));
  store.add(watchAccounts(accounts, update));
  update();
  const provider = new ServerProvider({ ...deps, servers, connections }, changed.event);
  const collection = store.add(exported.createJupyterServerCollection('gpuRental', 'GPU Rental', provider));
  collection.commandProvider = provider;
  return true;
}

async function shutDown(
  { accounts, ssh, connections }: Pick<Deps, 'accounts' | 'ssh'> & { connections: NotebookConnections },
  target: KernelTarget | undefined,
): Promise<void> {
  const account = accounts.active;
  const alias = account && target && ssh.aliasOf(account, target.instanceId);
  const server = alias === undefined ? undefined : connections.serverOf(alias);
  if (!target || !server || alias === undefined) {
    return;
  }
  const isSure = await confirm({
    message: t('Shut down this kernel?'),
    detail: t('Its variables are lost and running cells stop. The instance keeps running.'),
    button: t('Shut Down'),
  });
  if (isSure) {
    await shutDownKernel(server, target.kernelId);
    await connections.look(alias);
  }
}
