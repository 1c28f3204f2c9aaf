import * as vscode from 'vscode';
import { canWrite, userValue } from './userValue';

/**
 * Writes the only setting of another extension that we set unasked: the system of our hosts, which saves the user a
 * question. Entries of other hosts stay, and ours are removed later. Returns false if the setting can't be written; the
 * extension then asks.
 */
export async function setRemotePlatform(
  section: string,
  changes: Readonly<Record<string, 'linux' | undefined>>,
): Promise<boolean> {
  const configuration = vscode.workspace.getConfiguration();
  const key = `${section}.remotePlatform`;
  const inspected = configuration.inspect<unknown>(key);
  const isRemote = vscode.env.remoteName !== undefined;
  if (!canWrite(inspected, isRemote)) {
    return false;
  }
  const set = userValue(inspected, isRemote);
  const current = isRecord(set) ? set : {};
  const next = Object.fromEntries(
    Object.entries({ ...current, ...changes }).filter(([, value]) => value !== undefined),
  );
  if (JSON.stringify(next) === JSON.stringify(current)) {
    return true;
  }
  try {
    const value = Object.keys(next).length === 0 ? undefined : next;
    await configuration.update(key, value, vscode.ConfigurationTarget.Global);
    return true;
  } catch {
    // The settings file is read-only, or the editor does not know the setting.
    return false;
  }
}

/** Returns the hosts in the setting. */
export function remotePlatformHosts(section: string): readonly string[] {
  const found = vscode.workspace.getConfiguration().inspect<unknown>(`${section}.remotePlatform`);
  const value = userValue(found, vscode.env.remoteName !== undefined);
  return isRecord(value) ? Object.keys(value) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
