import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../services';
import { replaceFile } from '../../store/jsonFile';

/**
 * Keeps the server beside what the windows share, and gives its path: the folder of the extension has its version in its
 * name, so a configuration that leads there ends with the next update.
 */
export async function keepServer({
  extensionUri,
  storageDir,
}: Pick<Services, 'extensionUri' | 'storageDir'>): Promise<string> {
  const file = join(storageDir, 'mcp.js');
  const content = await readFile(vscode.Uri.joinPath(extensionUri, 'dist', 'mcp.js').fsPath);
  const kept = await readFile(file).catch(() => undefined);
  if (!kept?.equals(content)) {
    // A client may start it at this moment.
    await replaceFile(file, content);
  }
  return file;
}
