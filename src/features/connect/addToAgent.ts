import * as vscode from 'vscode';
import { showTerminal } from '../../editor/ownTerminal';
import { agentEnv, type AskedAgent } from '../../ssh/keyAgent';

/**
 * Adds a key to the SSH agent in a terminal, where `ssh-add` asks for the passphrase, so that no extension reads it.
 * Resolves to true once the agent holds the key.
 */
export function addToAgent(file: string, asked: AskedAgent): Promise<boolean> {
  const terminal = showTerminal({
    name: 'ssh-add',
    shellPath: 'ssh-add',
    shellArgs: [file],
    isTransient: true,
    ...agentEnv(asked),
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
