import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { t } from './editor/localize';
import { message } from './editor/message';
import type { SecretPort } from './store/accounts/patientSecrets';

/** Returns the port to the editor's secret store. */
export function secretPort(secrets: vscode.SecretStorage): SecretPort {
  return {
    keys: async () => secrets.keys(),
    get: async (key) => secrets.get(key),
    store: async (key, value) => secrets.store(key, value),
    delete: async (key) => secrets.delete(key),
    onDidChange: (listener) =>
      secrets.onDidChange(({ key }) => {
        listener(key);
      }),
  };
}

const windowNameKey = 'gpuRental.windowName';

/** Returns a name for this window that stays the same when the editor opens it again, with a folder or without one. */
export function windowNameIn(workspaceState: vscode.Memento): string {
  const known = workspaceState.get<unknown>(windowNameKey);
  if (typeof known === 'string') {
    return known;
  }
  const made = randomBytes(8).toString('hex');
  // If the editor does not keep it, an unsaved template asks about each difference when it is saved after a restart.
  workspaceState.update(windowNameKey, made).then(undefined, () => undefined);
  return made;
}

/** Warns that the invalid value of a setting is not used. */
export function warnAboutSetting(key: string, value: unknown): void {
  message(
    'warning',
    t(
      'The setting {0} has the invalid value {1}. Its default is used until you correct it.',
      key,
      JSON.stringify(value),
    ),
    {
      label: t('Open Settings'),
      run: () => vscode.commands.executeCommand('workbench.action.openSettings', key),
    },
  );
}
