import * as vscode from 'vscode';
import { settingDefaults, type Settings } from '../contributions';
import type { Disposable } from '../util/disposable';

const checks: { readonly [Key in keyof Settings]: (value: unknown) => boolean } = {
  'gpuRental.service.url': (value) => typeof value === 'string' && value.trim() !== '',
  'gpuRental.network.transport': oneOf('auto', 'vscode', 'undici'),
  'gpuRental.search.saved': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'gpuRental.rent.limitPerHour': (value) => typeof value === 'number' && value >= 0,
  'gpuRental.ready.timeoutMinutes': (value) => typeof value === 'number' && value >= 1 && value <= 60,
  'gpuRental.ready.onFailure': oneOf('ask', 'replace'),
  'gpuRental.warn.idleHours': within(0, 168),
  'gpuRental.warn.stoppedDays': within(0, 365),
  'gpuRental.hosting.show': oneOf('auto', 'always'),
  'gpuRental.statusBar.enabled': (value) => typeof value === 'boolean',
  'gpuRental.connect.openIn': oneOf('newWindow', 'currentWindow'),
  'gpuRental.connect.folder': (value) => typeof value === 'string' && /^(?:\/|$)/.test(value.trim()),
};

function within(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && values.includes(value);
}

/**
 * Our settings, read as the user set them: never a workspace's or a remote machine's value, since
 * a rented machine is a stranger's computer. A value that does not fit is named once, and the default is used.
 */
export class SettingsReader {
  private readonly warned = new Set<string>();

  constructor(private readonly warn: (key: keyof Settings, value: unknown) => void) {}

  get<Key extends keyof Settings>(key: Key): Settings[Key] {
    const found = vscode.workspace.getConfiguration().inspect<unknown>(key);
    const value = found?.globalValue;
    if (value === undefined) {
      return settingDefaults[key];
    }
    if (!checks[key](value)) {
      const seen = `${key}=${JSON.stringify(value)}`;
      if (!this.warned.has(seen)) {
        this.warned.add(seen);
        this.warn(key, value);
      }
      return settingDefaults[key];
    }
    // The check above is the proof of the type.
    return value as Settings[Key];
  }

  /** Sets one of ours for this user, on all computers that share the settings. */
  async set<Key extends keyof Settings>(key: Key, value: Settings[Key]): Promise<void> {
    await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** Any setting of the editor as the user set it, for `http.*` and `remote.*`. */
  foreign(key: string): unknown {
    const found = vscode.workspace.getConfiguration().inspect<unknown>(key);
    return found?.globalValue ?? found?.defaultValue;
  }

  onDidChange(section: string, listener: () => void): Disposable {
    return vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(section)) {
        listener();
      }
    });
  }
}
