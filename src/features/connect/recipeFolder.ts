import * as vscode from 'vscode';
import type { Instance } from '../../model/instances/instance';
import { matchesRecipe } from '../../model/workspace/recipeMatch';
import { parseWorkspaceFile, workspaceFilePath } from '../../model/workspace/workspaceFile';
import { isRemotePath } from '../../ssh/remoteFolders';

/** Returns the folder that the workspace names for similar machines; none in an untrusted workspace. */
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
      // Without a readable file, the user is asked.
    }
  }
  return undefined;
}
