import * as vscode from 'vscode';

/**
 * For how many seconds a remote window may be away before its server ends what runs in it; `undefined` where nothing
 * is set. Written only where the user chose so.
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
