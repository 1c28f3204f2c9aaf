import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { replaceFile } from '../../../util/replaceFile';
import type { Services } from '../../services';

/**
 * Copies the server to the shared storage and returns its path: the extension's folder has a version in its name, so
 * a configuration with that path would break at the next update.
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
