import * as vscode from 'vscode';
import type { KernelTarget } from '../../commandArguments';
import { confirm } from '../../editor/confirm';
import { isNotebook } from '../../editor/documentTrigger';
import { t } from '../../editor/localize';
import type { Services } from '../../services';
import { shutDownKernel } from '../../ssh/notebooks/kernels';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { NotebookConnections } from './connections';
import { findJupyter } from './jupyter';
import { KernelRows } from './kernelRows';
import { ServerList } from './serverList';
import { candidatesOf, ServerProvider } from './serverProvider';
import { useInNotebook } from './useInNotebook';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
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
  store.add(
    deps.accountCleanup.onDidRemove((accountKey) => {
      connections.closeAccount(accountKey);
    }),
  );
  store.add(
    watchAccounts(deps.accounts, () => {
      connections.endAttemptsOfOthers(deps.accounts.active?.key);
    }),
  );
  store.add(deps.instanceGroups.addInstanceRows(new KernelRows(deps, connections)));
  store.add(
    deps.commands.register('gpuRental.kernel.shutDown', (target) =>
      shutDown({ ...deps, connections }, target),
    ),
  );
  let attached: Promise<ServerList | undefined> | undefined;
  /** The list in the kernel picker; made once, where there is a Jupyter extension that can show it. */
  const attach = () => {
    attached ??= attachTo(deps, connections, store).then((servers) => {
      if (!servers) {
        attached = undefined;
      }
      return servers;
    });
    return attached;
  };
  const look = () => {
    if (vscode.workspace.notebookDocuments.some(isNotebook)) {
      attach().catch((error: unknown) => {
        deps.report.error(error);
      });
    }
  };
  store.add(vscode.workspace.onDidOpenNotebookDocument(look));
  // Jupyter may be installed while a notebook is open.
  store.add(vscode.extensions.onDidChange(look));
  look();
  store.add(
    deps.commands.register('gpuRental.instance.useInNotebook', (target) =>
      useInNotebook({ ...deps, connections, attach }, target),
    ),
  );
  return store;
}

/** Offers the instances in the kernel picker. */
async function attachTo(
  deps: Deps,
  connections: NotebookConnections,
  store: DisposableStore,
): Promise<ServerList | undefined> {
  const jupyter = await findJupyter();
  if (typeof jupyter === 'string' || store.isDisposed) {
    return undefined;
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
  const collection = store.add(jupyter.createJupyterServerCollection('gpuRental', 'GPU Rental', provider));
  collection.commandProvider = provider;
  return servers;
}

async function shutDown(
  { accounts, ssh, connections }: Pick<Deps, 'accounts' | 'ssh'> & { connections: NotebookConnections },
  target: KernelTarget | undefined,
): Promise<void> {
  const account = accounts.active;
  const alias = account && target && ssh.aliasOf(account, target.instanceId);
  const server = alias === undefined ? undefined : connections.serverOf(alias);
  if (!target || !server || alias === undefined) {
    throw new UserError(text('This window is not connected to the kernel any more.'));
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
