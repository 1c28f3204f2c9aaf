import * as vscode from 'vscode';
import { settingDefaults, type Settings } from '../contributions';
import type { Disposable } from '../util/disposable';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { settingChecks } from './settingChecks';
import { canWrite, userValue } from './userValue';

/**
 * Reads our settings from the user only, never from a workspace or a remote machine, because a rented machine belongs
 * to a stranger. An invalid value is reported once, and the default is used.
 */
export class SettingsReader {
  private readonly warned = new Set<string>();

  constructor(private readonly warn: (key: keyof Settings, value: unknown) => void) {}

  get<Key extends keyof Settings>(key: Key): Settings[Key] {
    const found = vscode.workspace.getConfiguration().inspect<unknown>(key);
    const value = userValue(found, isRemote());
    if (value === undefined) {
      return settingDefaults[key];
    }
    if (!settingChecks[key](value)) {
      const seen = `${key}=${JSON.stringify(value)}`;
      if (!this.warned.has(seen)) {
        this.warned.add(seen);
        this.warn(key, value);
      }
      return settingDefaults[key];
    }
    // The check above proves the type.
    return value as Settings[Key];
  }

  /** Sets one of our settings for the user, on all computers with synchronized settings. */
  async set<Key extends keyof Settings>(key: Key, value: Settings[Key]): Promise<void> {
    const configuration = vscode.workspace.getConfiguration();
    if (!canWrite(configuration.inspect(key), isRemote())) {
      throw new UserError(
        text("This setting can't be changed in a remote window. Change it in a window of this computer."),
      );
    }
    await configuration.update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** Returns the user's value of another setting, for `http.*` and `remote.*`. */
  foreign(key: string): unknown {
    const found = vscode.workspace.getConfiguration().inspect<unknown>(key);
    return userValue(found, isRemote()) ?? found?.defaultValue;
  }

  onDidChange(section: string, listener: () => void): Disposable {
    return vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(section)) {
        listener();
      }
    });
  }
}

function isRemote(): boolean {
  return vscode.env.remoteName !== undefined;
}
