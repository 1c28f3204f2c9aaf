import * as vscode from 'vscode';
import { t } from './localize';
import { message } from './message';

const inSystem = 'revealFileInOS';

/**
 * Shows a folder of this computer where the user looks at files: in the explorer where the workspace has it, else in the
 * file manager. The editor in a browser has none, and offers a window on it. False where there is no such folder.
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
