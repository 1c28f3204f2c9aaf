import * as vscode from 'vscode';
import type { Instance } from '../../model/instances/instance';
import { matchesRecipe } from '../../model/workspace/recipeMatch';
import { parseWorkspaceFile, workspaceFilePath } from '../../model/workspace/workspaceFile';
import { isRemotePath } from '../../ssh/remoteFolders';

/** The folder that the open workspace names for machines like this one; none where it is not trusted. */
export async function recipeFolder(instance: Instance | undefined): Promise<string | undefined> {
  const folders = instance && vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  for (const { uri } of folders) {
    try {
      const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(uri, workspaceFilePath));
      const recipe = parseWorkspaceFile(new TextDecoder().decode(file));
      if (instance && matchesRecipe(instance, recipe) && isRemotePath(recipe.folder)) {
        return recipe.folder;
      }
    } catch {
      // Without such a file, or with one that cannot be read, the user is asked.
    }
  }
  return undefined;
}
