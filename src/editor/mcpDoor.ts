import * as vscode from 'vscode';
import { agentAccess, areAgentsLetIn } from './agentAccess';
import { hasChatTools } from './chatTools';

/** How an editor starts the server for agents. */
export interface StartedServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Offers the server to an editor that takes servers from extensions but has no tools for its chat: where it has those,
 * each tool would appear twice. Nothing is loaded until the editor starts it, and then `start` asks where agents are
 * off. Does nothing in editors without such servers.
 */
export function mcpDoor(version: string, start: () => Promise<StartedServer | undefined>): vscode.Disposable {
  const { lm } = vscode as { readonly lm?: Partial<typeof vscode.lm> };
  if (typeof lm?.registerMcpServerDefinitionProvider !== 'function') {
    return new vscode.Disposable(() => undefined);
  }
  const changed = new vscode.EventEmitter<void>();
  const changes = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(agentAccess)) {
      changed.fire();
    }
  });
  const registered = lm.registerMcpServerDefinitionProvider('gpuRental.mcp', {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () =>
      hasChatTools() || !areAgentsLetIn()
        ? []
        : [new vscode.McpStdioServerDefinition('GPU Rental', process.execPath, [], {}, version)],
    resolveMcpServerDefinition: async () => {
      const server = await start();
      return (
        server &&
        new vscode.McpStdioServerDefinition(
          'GPU Rental',
          server.command,
          [...server.args],
          { ...server.env },
          version,
        )
      );
    },
  });
  return vscode.Disposable.from(registered, changes, changed);
}
