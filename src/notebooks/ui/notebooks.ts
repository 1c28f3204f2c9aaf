import * as vscode from 'vscode';
import type { InstanceTarget, KernelTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { inView } from '../../editor/progress';
import { labelOf } from '../../editor/titles';
import { watchAccounts } from '../../shared/followAccount';
import { keptAccounts, onAccountEnd } from '../../store/accounts/accountEnds';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { shutDownKernel } from '../machine/kernels';
import { NotebookConnections } from './connections';
import type { NotebookDeps } from './deps';
import { findJupyter } from './jupyter';
import { KernelRows } from './kernelRows';
import { NotebookFolders } from './notebookFolders';
import { ServerList } from './serverList';
import { candidatesOf, ServerProvider } from './serverProvider';
import { showKernels, useInNotebook } from './useInNotebook';

/** Provides instances as kernels for local notebooks, if the Jupyter extension is installed. */
export class Notebooks implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly connections: NotebookConnections;
  private readonly folders: NotebookFolders;
  private attached: Promise<ServerList | undefined> | undefined;

  constructor(private readonly deps: NotebookDeps) {
    const { accounts, instanceGroups } = deps;
    const folders = this.owned.add(
      new NotebookFolders({ ...deps, serverOf: (alias) => this.connections.serverOf(alias) }),
    );
    const before = (alias: string) => folders.settle(alias);
    const connections = this.owned.add(new NotebookConnections({ ...deps, before }));
    this.connections = connections;
    this.folders = folders;
    this.owned.add(
      onAccountEnd(deps, (accountKey) => {
        connections.closeAccount(accountKey);
      }),
    );
    this.owned.add(
      watchAccounts(accounts, () => {
        connections.endAttemptsOfOthers(accounts.active?.key);
      }),
    );
    const titleOf = (alias: string, name: string) => folders.titleOf(alias, name);
    this.owned.add(instanceGroups.addInstanceRows(new KernelRows(deps, connections, titleOf)));
  }

  /** Registers the list in the kernel picker once, if a suitable Jupyter extension is installed and starts. */
  attach(): Promise<ServerList | undefined> {
    this.attached ??= this.tryToAttach();
    return this.attached;
  }

  use(target: InstanceTarget | undefined): Promise<void> {
    const attach = () => this.attach();
    const { connections, folders } = this;
    return useInNotebook({ ...this.deps, connections, folders, attach }, target);
  }

  showKernels(target: InstanceTarget | undefined): Promise<void> {
    return showKernels({ ...this.deps, connections: this.connections }, target);
  }

  shutDown(target: KernelTarget | undefined): Promise<void> {
    return shutDown({ ...this.deps, connections: this.connections }, target);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async tryToAttach(): Promise<ServerList | undefined> {
    const owned = this.owned.add(new DisposableStore());
    let servers: ServerList | undefined;
    try {
      servers = await attachTo({ ...this.deps, folders: this.folders }, this.connections, owned);
      return servers;
    } finally {
      if (!servers) {
        owned.dispose();
        this.attached = undefined;
      }
    }
  }
}

/** Shows the instances in the kernel picker. */
async function attachTo(
  deps: NotebookDeps & { readonly folders: NotebookFolders },
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
  await forgetSignedOut(deps, servers);
  store.add(
    onAccountEnd(deps, (accountKey) => {
      void servers.forgetAccounts([accountKey]);
    }),
  );
  const changed = store.add(new vscode.EventEmitter<void>());
  store.add(
    servers.onDidChange(() => {
      changed.fire();
    }),
  );
  const update = () => servers.update(accounts.active?.key, candidatesOf(deps), (id) => fleet.hasEnded(id));
  store.add(fleet.onDidChange(() => void update()));
  store.add(watchAccounts(accounts, () => void update()));
  // Jupyter forgets what the first list lacks, too.
  await update();
  const provider = new ServerProvider({ ...deps, servers, connections }, changed.event);
  store.add(
    connections.onDidLose(({ alias, error }) => {
      provider.reportProblem(alias, error);
    }),
  );
  const collection = store.add(jupyter.createJupyterServerCollection('gpuRental', 'GPU Rental', provider));
  collection.commandProvider = provider;
  return servers;
}

/** An account may have signed out while no window showed the list. */
async function forgetSignedOut({ accounts, log }: NotebookDeps, servers: ServerList): Promise<void> {
  try {
    const kept = await keptAccounts(accounts);
    await servers.forgetAccounts(
      servers.rows.map(({ accountKey }) => accountKey).filter((key) => !kept.has(key)),
    );
  } catch (error) {
    log.warn(`The accounts of the servers for notebooks could not be read: ${String(error)}`);
  }
}

async function shutDown(
  {
    accounts,
    ssh,
    log,
    connections,
  }: Pick<NotebookDeps, 'accounts' | 'ssh' | 'log'> & { connections: NotebookConnections },
  target: KernelTarget | undefined,
): Promise<void> {
  const account = accounts.active;
  const alias = account && target && ssh.aliasOf(account, target.instanceId);
  const server = alias === undefined ? undefined : connections.serverOf(alias);
  if (!target || !server || alias === undefined) {
    throw new UserError(text('This window is no longer connected to the kernel.'));
  }
  const isSure = await confirm({
    message: t('Shut down this kernel?'),
    detail: t('Its variables are lost and running cells stop. The instance keeps running.'),
    button: labelOf('gpuRental.kernel.shutDown'),
  });
  if (isSure) {
    await inView('gpuRental.instances', async () => {
      await shutDownKernel(server, target.kernelId);
      // It has ended, whether or not the others can be read now.
      await connections.readKernels(alias).catch((error: unknown) => {
        log.warn(`The kernels of ${alias} could not be read: ${String(error)}`);
      });
    });
  }
}
