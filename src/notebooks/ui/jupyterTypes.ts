import type * as vscode from 'vscode';

/**
 * The part of the Jupyter extension's API that we use:
 * https://github.com/microsoft/vscode-jupyter/blob/main/src/api.d.ts. The extension is optional, so none of its code is
 * bundled.
 */
export interface JupyterServer {
  readonly id: string;
  readonly label: string;
  readonly connectionInformation?: { readonly baseUrl: vscode.Uri; readonly token: string };
}

export interface JupyterCommand {
  readonly label: string;
  readonly description?: string;
}

export interface JupyterServerProvider {
  readonly onDidChangeServers: vscode.Event<void>;
  provideJupyterServers(): JupyterServer[];
  resolveJupyterServer(server: { readonly id: string }): Promise<JupyterServer>;
}

export interface JupyterCommandProvider {
  provideCommands(): JupyterCommand[];
  handleCommand(command: JupyterCommand): Promise<JupyterServer | undefined>;
}

export interface JupyterServerCollection extends vscode.Disposable {
  commandProvider?: JupyterCommandProvider;
}

export interface Jupyter {
  createJupyterServerCollection(
    id: string,
    label: string,
    provider: JupyterServerProvider,
  ): JupyterServerCollection;
}

/** Older releases of the extension lack this function. */
export function isJupyter(exported: unknown): exported is Jupyter {
  return (
    typeof exported === 'object' &&
    exported !== null &&
    'createJupyterServerCollection' in exported &&
    typeof exported.createJupyterServerCollection === 'function'
  );
}
