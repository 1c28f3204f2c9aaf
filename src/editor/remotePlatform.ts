import * as vscode from 'vscode';
import { canWrite, userValue } from './userValue';

/**
 * The one setting of another extension that we write unasked: which system a host of ours runs, so that
 * nobody is asked for it. Entries of other hosts are left as they are, and ours are taken out again.
 * Returns false where the setting cannot be written, which costs the user one question.
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
    // A settings file that is read-only, or a setting that the editor does not know.
    return false;
  }
}

/** Hosts that the setting names now. */
export function remotePlatformHosts(section: string): readonly string[] {
  const found = vscode.workspace.getConfiguration().inspect<unknown>(`${section}.remotePlatform`);
  const value = userValue(found, vscode.env.remoteName !== undefined);
  return isRecord(value) ? Object.keys(value) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
