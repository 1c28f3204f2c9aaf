import * as vscode from 'vscode';
import { t } from './localize';
import { message } from './message';

const inSystem = 'revealFileInOS';

/**
 * Shows a folder of this computer: in the explorer if the workspace contains it, otherwise in the file manager. A
 * browser-hosted editor has no file manager and offers a new window instead. Returns false if the folder does not
 * exist.
 */
export async function showFolder(path: string): Promise<boolean> {
  const uri = vscode.Uri.file(path);
  const facts = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
  if (facts === undefined || (facts.type & vscode.FileType.Directory) === 0) {
    return false;
  }
  if (vscode.workspace.getWorkspaceFolder(uri)) {
    await vscode.commands.executeCommand('revealInExplorer', uri);
  } else if ((await vscode.commands.getCommands(true)).includes(inSystem)) {
    await vscode.commands.executeCommand(inSystem, uri);
  } else {
    message('info', t('The folder is {0}.', path), {
      label: t('Open in New Window'),
      run: () => vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true }),
    });
  }
  return true;
}
