import { writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { homeFolder } from '../util/thisUser';
import { t } from './localize';

interface FileToSave {
  /** Title of the dialog. */
  readonly title: string;
  /** Proposed file name. */
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filters?: vscode.SaveDialogOptions['filters'];
  /**
   * Proposes the home folder, because the files of a workspace are often published, and lets only this user read a new file.
   */
  readonly isPrivate?: boolean;
}

/** Saves a file where the user chooses; returns `undefined` if the user cancels. */
export async function saveFile(file: FileToSave): Promise<vscode.Uri | undefined> {
  const { title, name, content, filters, isPrivate = false } = file;
  const workspace = isPrivate ? undefined : vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title,
    saveLabel: t('Save'),
    defaultUri: vscode.Uri.joinPath(workspace ?? vscode.Uri.file(homeFolder()), name),
    ...(filters && { filters }),
  });
  if (target) {
    await writeFileAt(target, content, { isPrivate });
  }
  return target;
}

/** Writes a file; throws an error with the reason if that fails. An existing file keeps its mode. */
export async function writeFileAt(
  target: vscode.Uri,
  content: string | Uint8Array,
  { isPrivate }: Pick<FileToSave, 'isPrivate'> = {},
): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  try {
    // The editor can't create a file that other users of this computer may not read.
    await (isPrivate && target.scheme === 'file'
      ? writeFile(target.fsPath, bytes, { mode: 0o600 })
      : vscode.workspace.fs.writeFile(target, bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(text('Could not save {0}: {1}', target.fsPath, reason), {
      nextStep: 'retry',
      cause: error,
    });
  }
}
