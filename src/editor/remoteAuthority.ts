import * as vscode from 'vscode';

/**
 * What the remote window is connected to, for example `ssh-remote+gpu-7`. The editor tells it only by the addresses
 * of what is open, so that an SSH window without a folder has none.
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
