import * as vscode from 'vscode';
import { isNotebook } from '../../editor/documentTrigger';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { NotebookDeps } from './deps';
import type { Notebooks } from './notebooks';

/** Instances as kernels for notebooks. The code loads with the first notebook or command. */
export function register(deps: NotebookDeps): Disposable {
  const store = new DisposableStore();
  const { commands, log } = deps;
  let notebooks: Promise<Notebooks> | undefined;
  const load = () =>
    (notebooks ??= import('./notebooks').then((module) => store.add(new module.Notebooks(deps))));
  const attach = async () => {
    await (await load()).attach();
  };
  const check = () => {
    if (vscode.workspace.notebookDocuments.some(isNotebook)) {
      // The user opened a notebook and asked for nothing of ours.
      attach().catch((error: unknown) => {
        log.error('The instances could not be offered to the Jupyter extension', error);
      });
    }
  };
  store.add(vscode.workspace.onDidOpenNotebookDocument(check));
  // Jupyter may be installed while a notebook is open.
  store.add(vscode.extensions.onDidChange(check));
  check();
  store.add(
    commands.register('gpuRental.instance.useInNotebook', async (target) => (await load()).use(target)),
  );
  store.add(
    commands.register('gpuRental.instance.showKernels', async (target) => (await load()).showKernels(target)),
  );
  store.add(
    commands.register('gpuRental.kernel.shutDown', async (target) => (await load()).shutDown(target)),
  );
  return store;
}
