import * as vscode from 'vscode';
import { t } from './editor/localize';
import { message } from './editor/message';
import type { SecretPort } from './store/ports';

/** Returns the port to the editor's secret store. */
export function secretPort(secrets: vscode.SecretStorage): SecretPort {
  return {
    get: async (key) => secrets.get(key),
    store: async (key, value) => secrets.store(key, value),
    delete: async (key) => secrets.delete(key),
    onDidChange: (listener) =>
      secrets.onDidChange(({ key }) => {
        listener(key);
      }),
  };
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
