import * as vscode from 'vscode';
import { workspaceFilePath } from '../../../model/workspace/workspaceFile';

/** Returns the workspace files that exist, at most one per folder. */
export async function workspaceFiles(): Promise<readonly vscode.Uri[]> {
  const uris = (vscode.workspace.workspaceFolders ?? []).map((folder) =>
    vscode.Uri.joinPath(folder.uri, workspaceFilePath),
  );
  const found = await Promise.all(uris.map(async (uri) => ((await exists(uri)) ? uri : undefined)));
  return found.filter((uri) => uri !== undefined);
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return false;
    }
    throw error;
  }
}
