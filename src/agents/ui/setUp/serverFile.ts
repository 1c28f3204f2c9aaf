import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { replaceFile } from '../../../util/replaceFile';
import { serverCommand, type ServerCommand } from '../../model/mcpConfiguration';
import type { Services } from '../../services';

export type ServerDeps = Pick<Services, 'extensionUri' | 'storageDir'>;

/**
 * Copies the server to the shared storage and returns its path: the extension's folder has a version in its name, so
 * a configuration with that path would break at the next update.
 */
export async function keepServer({ extensionUri, storageDir }: ServerDeps): Promise<string> {
  const file = join(storageDir, 'mcp.js');
  const content = await readFile(vscode.Uri.joinPath(extensionUri, 'dist', 'mcp.js').fsPath);
  const kept = await readFile(file).catch(() => undefined);
  if (!kept?.equals(content)) {
    // A client may start it at this moment.
    await replaceFile(file, content);
  }
  return file;
}

/** Returns how a client starts the server with the runtime of this editor, once the server is in its place. */
export async function startOfServer(deps: ServerDeps): Promise<ServerCommand> {
  return serverCommand(await keepServer(deps), {
    execPath: process.execPath,
    isElectron: 'electron' in process.versions,
    platform: process.platform,
    env: process.env,
  });
}
