import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { homeFolder } from '../util/thisUser';

/**
 * Asks for files or folders of this computer. In a remote window the editor shows those of the machine, unless the
 * dialog begins in a folder of this computer.
 */
export async function pickLocal(options: vscode.OpenDialogOptions): Promise<readonly vscode.Uri[]> {
  const isRemote = vscode.env.remoteName !== undefined;
  const picked = await vscode.window.showOpenDialog({
    ...(isRemote ? { defaultUri: vscode.Uri.file(homeFolder()) } : {}),
    ...options,
  });
  const other = picked?.find(({ scheme }) => scheme !== 'file');
  if (other) {
    throw new UserError(text('{0} is not on this computer. Choose a file or folder that is.', other.path));
  }
  return picked ?? [];
}
