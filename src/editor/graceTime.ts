import * as vscode from 'vscode';

/**
 * Returns how many seconds a remote window may be disconnected before its server ends its terminals; `undefined` if not
 * set. Written only if the user chose it.
 */
export function graceTimeOf(section: string): number | undefined {
  const value: unknown = vscode.workspace.getConfiguration(section).get('reconnectionGraceTime');
  return typeof value === 'number' ? value : undefined;
}

export async function setGraceTime(section: string, seconds: number): Promise<void> {
  await vscode.workspace
    .getConfiguration(section)
    .update('reconnectionGraceTime', seconds, vscode.ConfigurationTarget.Global);
}
