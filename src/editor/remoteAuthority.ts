import * as vscode from 'vscode';

/**
 * Returns the remote authority of this window, for example `ssh-remote+gpu-7`. The editor exposes it only in addresses
 * of open items, so an SSH window without a folder has none.
 */
export function sshAuthority(): string | undefined {
  if (vscode.env.remoteName !== 'ssh-remote') {
    return undefined;
  }
  const open = [
    vscode.workspace.workspaceFile,
    ...(vscode.workspace.workspaceFolders ?? []).map((one) => one.uri),
  ];
  return open.find((uri) => uri?.scheme === 'vscode-remote')?.authority;
}
