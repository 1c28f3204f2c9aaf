import * as vscode from 'vscode';
import { showTerminal } from '../../editor/ownTerminal';

/**
 * Adds a key to the SSH agent in a terminal, where `ssh-add` asks for the passphrase, so that no extension reads it.
 * Resolves to true once the agent holds the key.
 */
export function addToAgent(file: string, socket: string | undefined): Promise<boolean> {
  const terminal = showTerminal({
    name: 'ssh-add',
    shellPath: 'ssh-add',
    shellArgs: [file],
    isTransient: true,
    ...(socket === undefined ? {} : { env: { SSH_AUTH_SOCK: socket } }),
  });
  return new Promise((resolve) => {
    const subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed === terminal) {
        subscription.dispose();
        resolve(closed.exitStatus?.code === 0);
      }
    });
  });
}
