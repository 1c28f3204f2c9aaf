import * as vscode from 'vscode';
import { workspaceFilePath } from '../../model/workspace/workspaceFile';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';

/** Keeps up to date whether a folder of this window has a workspace file, which the empty view offers to rent for. */
export function followWorkspaceFile({ contextKeys }: Pick<Services, 'contextKeys'>): Disposable {
  const { workspace } = vscode;
  const store = new DisposableStore();
  let checks = 0;
  const check = async () => {
    checks += 1;
    const own = checks;
    const uris = (workspace.workspaceFolders ?? []).map(({ uri }) =>
      vscode.Uri.joinPath(uri, workspaceFilePath),
    );
    const found = await Promise.allSettled(uris.map((uri) => workspace.fs.stat(uri)));
    if (own === checks) {
      contextKeys.set(
        'gpuRental.workspaceFile',
        found.some(({ status }) => status === 'fulfilled'),
      );
    }
  };
  const watcher = store.add(workspace.createFileSystemWatcher(`**/${workspaceFilePath}`, false, true));
  store.add(watcher.onDidCreate(check));
  store.add(watcher.onDidDelete(check));
  store.add(workspace.onDidChangeWorkspaceFolders(check));
  void check();
  return store;
}
