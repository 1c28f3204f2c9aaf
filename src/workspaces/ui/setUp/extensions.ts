import * as vscode from 'vscode';
import { plainArgument } from '../../../util/plainLabel';

/**
 * Installs extensions by the editor's own command, which shows its progress, puts an extension where it belongs, and asks
 * about publishers that the user does not trust yet. In a remote window that is the remote side, except for what can only
 * run beside the user, such as themes (`extensionManagementService.ts` of VS Code 1.139). Returns the ids that failed.
 */
export async function installExtensions(
  ids: readonly string[],
): Promise<{ readonly failed: readonly string[]; readonly log: readonly string[] }> {
  const failed: string[] = [];
  const log: string[] = [];
  for (const id of ids) {
    try {
      // Those that run beside the user are seen here; only the editor knows those of the other side.
      if (!vscode.extensions.getExtension(id)) {
        await vscode.commands.executeCommand('workbench.extensions.installExtension', id, {
          donotSync: true,
        });
      }
      log.push(`${id}: installed`);
    } catch (error) {
      failed.push(id);
      log.push(`${id}: ${plainArgument(error instanceof Error ? error.message : String(error))}`);
    }
  }
  return { failed, log };
}
