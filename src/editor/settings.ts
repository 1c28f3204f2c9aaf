import * as vscode from 'vscode';
import { settingDefaults, type Settings } from '../contributions';
import { secretNameProblem } from '../model/accounts/keyInput';
import { longestEnd } from '../model/rentals/agreedEnd';
import { volumeNameShape } from '../model/volume';
import { extensionIdShape } from '../model/workspace/extensionId';
import type { Disposable } from '../util/disposable';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { canWrite, userValue } from './userValue';

/**
 * Reads our settings from the user only, never from a workspace or a remote machine, because a rented machine belongs
 * to a stranger. An invalid value is reported once, and the default is used.
 */
export class SettingsReader {
  private readonly warned = new Set<string>();
  /** The values that were read since the last change: the editor copies all of its settings for each read. */
  private values: Partial<Settings> = {};

  constructor(private readonly warn: (key: keyof Settings, value: unknown) => void) {
    vscode.workspace.onDidChangeConfiguration(() => {
      this.values = {};
    });
  }

  get<Key extends keyof Settings>(key: Key): Settings[Key] {
    return (this.values[key] ??= this.read(key));
  }

  private read<Key extends keyof Settings>(key: Key): Settings[Key] {
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

/**
 * Checks for the value of each setting. The manifest has the same rules for the settings editor, but other programs can
 * bypass it.
 */
export const settingChecks: { readonly [Key in keyof Settings]: (value: unknown) => boolean } = {
  'gpuRental.service.url': (value) => typeof value === 'string' && value.trim() !== '',
  'gpuRental.network.transport': oneOf('auto', 'vscode', 'undici'),
  'gpuRental.search.saved': (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'gpuRental.rent.limitPerHour': (value) => typeof value === 'number' && value >= 0,
  'gpuRental.end.idleMinutes': within(0, longestEnd.idleMinutes),
  'gpuRental.end.destroyAfterDays': within(0, longestEnd.destroyAfterDays),
  'gpuRental.end.useServiceTimetable': (value) => typeof value === 'boolean',
  'gpuRental.models.idleMinutes': within(0, 1440),
  'gpuRental.models.maxHours': within(1, 720),
  'gpuRental.models.volume': (value) =>
    typeof value === 'string' && (value === '' || volumeNameShape.test(value)),
  'gpuRental.budget.perDay': within(0, 1e6),
  'gpuRental.budget.perMonth': within(0, 1e6),
  'gpuRental.budget.warnPercent': within(1, 100),
  'gpuRental.budget.stopAllAtLimit': (value) => typeof value === 'boolean',
  'gpuRental.ready.timeoutMinutes': (value) => typeof value === 'number' && value >= 1 && value <= 60,
  'gpuRental.ready.onFailure': oneOf('ask', 'replace'),
  'gpuRental.ready.checkLogin': (value) => typeof value === 'boolean',
  'gpuRental.warn.idleHours': within(0, 168),
  'gpuRental.warn.stoppedDays': within(0, 365),
  'gpuRental.hosting.show': oneOf('auto', 'always'),
  'gpuRental.statusBar.enabled': (value) => typeof value === 'boolean',
  'gpuRental.connect.openIn': oneOf('newWindow', 'currentWindow'),
  'gpuRental.connect.folder': (value) => typeof value === 'string' && /^(?:\/|$)/.test(value.trim()),
  'gpuRental.terminal.tmux': oneOf('own', 'service', 'none'),
  'gpuRental.setUp.gitIdentity': (value) => typeof value === 'boolean',
  'gpuRental.setUp.dotfiles': (value) =>
    typeof value === 'string' &&
    /^(?:[\w.-]+\/[\w.-]+|(?:https|ssh):\/\/\S+|[^\s@]+@[^\s:]+:\S+)?$/.test(value.trim()),
  'gpuRental.setUp.secrets': (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !secretNameProblem(one)),
  'gpuRental.setUp.extensions': (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string' && extensionIdShape.test(one)),
  'gpuRental.agents.access': oneOf('off', 'read', 'ask'),
  'gpuRental.agents.limitPerDay': within(0, 1e6),
  'gpuRental.agents.limitPerHour': within(0, 1e5),
  'gpuRental.agents.maxInstances': within(0, 100),
  'gpuRental.agents.maxHours': within(0, 720),
  'gpuRental.agents.maxQuestionsPerHour': within(0, 60),
  'gpuRental.models.inChat': (value) => typeof value === 'boolean',
  'gpuRental.models.port': (value) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    (value === 0 || (value >= 1024 && value <= 65_535)),
};

function within(least: number, most: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= least && value <= most;
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && values.includes(value);
}
