import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../services';

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
    await mkdir(storageDir, { recursive: true, mode: 0o700 });
    // Renamed into place whole: a client may start it at this moment.
    const part = `${file}.${process.pid}`;
    await writeFile(part, content, { mode: 0o600 });
    await rename(part, file);
  }
  return file;
}
