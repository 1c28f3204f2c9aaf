import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { t } from './editor/localize';
import { ask } from './editor/message';
import type { SettingsReader } from './editor/settings';
import { namesPrograms } from './ssh/namesPrograms';
import { nodeEnvironment } from './ssh/nodeSsh';
import { sshPaths, type SshEnvironment } from './ssh/paths';
import { findResolvers } from './ssh/resolvers';
import { CancelledError } from './util/errors';
import { isMissing } from './util/missing';
import { plainLabel } from './util/plainLabel';

type Named = Pick<SshEnvironment, 'configFile' | 'sshPath'>;

/** A program or config from the settings that can run code on this computer. */
interface Runnable {
  readonly kind: keyof Named;
  readonly setting: string;
  readonly path: string;
}

interface Answer {
  readonly path: string;
  readonly isUsed: boolean;
}

const key = 'ssh.programs';

/**
 * The SSH program and config from the Remote-SSH settings, if the user agreed to run them: a profile, a sync or another
 * extension may have set them without the user. An answer applies to one path.
 */
export class SshConsent {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly settings: SettingsReader,
  ) {}

  /** Returns the program and the config to use now; `undefined` means the usual one. Never asks. */
  agreed(): Named {
    const { named, runnable } = this.readSettings();
    const answers = this.answers();
    const allowed = (kind: keyof Named) => {
      const one = runnable.find((other) => other.kind === kind);
      const answer = one && answers[one.setting];
      return one === undefined || (answer?.path === one.path && answer.isUsed);
    };
    return {
      configFile: allowed('configFile') ? named.configFile : undefined,
      sshPath: allowed('sshPath') ? named.sshPath : undefined,
    };
  }

  /** Returns true if no question is open; background work waits for that. */
  isAnswered(): boolean {
    const answers = this.answers();
    return this.readSettings().runnable.every(({ setting, path }) => answers[setting]?.path === path);
  }

  /** Asks the open questions before an action of the user. Rejects as canceled if the user dismisses one. */
  ask(): Promise<void> {
    this.asking ??= this.askAll().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askAll(): Promise<void> {
    const { runnable } = this.readSettings();
    const old = this.answers();
    // An answer is dropped with its path, so that clearing a setting resets the answer.
    const answers = Object.fromEntries(
      runnable.flatMap(({ setting, path }) => {
        const answer = old[setting];
        return answer?.path === path ? [[setting, answer] as const] : [];
      }),
    );
    for (const one of runnable) {
      answers[one.setting] ??= { path: one.path, isUsed: await isUsed(one) };
    }
    if (JSON.stringify(answers) !== JSON.stringify(old)) {
      await this.memory.update(key, answers);
    }
  }

  private answers(): Readonly<Record<string, Answer>> {
    return this.memory.get<Readonly<Record<string, Answer>>>(key, {});
  }

  private readSettings(): { readonly named: Named; readonly runnable: readonly Runnable[] } {
    const [resolver] = findResolvers(
      vscode.extensions.all.map(({ id, packageJSON }) => ({ id, manifest: packageJSON as unknown })),
    );
    const section = resolver?.section ?? 'remote.SSH';
    const text = (name: string) => {
      const value = this.settings.foreign(`${section}.${name}`);
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
    };
    const sshPath = fullProgram(text('path'));
    const named = {
      configFile: resolver?.honoursConfigFile === false ? undefined : text('configFile'),
      sshPath,
    };
    const config = runnableConfig(named);
    return {
      named,
      runnable: [
        ...(sshPath === undefined
          ? []
          : [{ kind: 'sshPath' as const, setting: `${section}.path`, path: sshPath }]),
        ...(config === undefined
          ? []
          : [{ kind: 'configFile' as const, setting: `${section}.configFile`, path: config }]),
      ],
    };
  }
}

/**
 * Returns the program's full path; `undefined` means the usual one. A relative path would mean a different file in each
 * folder.
 */
function fullProgram(named: string | undefined): string | undefined {
  if (named === undefined || /^ssh(?:\.exe)?$/i.test(named)) {
    return undefined;
  }
  return isAbsolute(named) || !/[\\/]/.test(named) ? named : resolve(named);
}

/** Returns the full path of the config in the settings, if it can run programs that the usual config does not name. */
function runnableConfig(named: Named): string | undefined {
  const environment = nodeEnvironment(() => named);
  const { userConfig, passedConfig, includePattern } = sshPaths(environment);
  const usual = sshPaths({ ...environment, configFile: undefined }).userConfig;
  if (passedConfig === undefined || passedConfig === usual) {
    return undefined;
  }
  try {
    return namesPrograms(readFileSync(userConfig, 'utf8'), includePattern) ? userConfig : undefined;
  } catch (error) {
    // A missing file runs nothing, but ssh may be able to read a file that is unreadable here.
    return isMissing(error) ? undefined : userConfig;
  }
}

async function isUsed({ kind, setting, path }: Runnable): Promise<boolean> {
  const isProgram = kind === 'sshPath';
  const isWanted = await ask<boolean>(
    'warning',
    {
      message: isProgram
        ? t('Use the SSH program {0}?', plainLabel(path))
        : t('Use the SSH config {0}?', plainLabel(path)),
      detail: isProgram
        ? t(
            'Your setting {0} names this program, and GPU Rental has not run it yet. The usual program is ssh. GPU Rental asks again when the setting changes.',
            setting,
          )
        : t(
            'Your setting {0} names this file, which can run programs on this computer. With the usual file, ~/.ssh/config, Remote-SSH may not find the instance. GPU Rental asks again when the setting changes.',
            setting,
          ),
    },
    { label: isProgram ? t('Use This Program') : t('Use This File'), run: () => true },
    { label: t('Use the Usual One'), run: () => false },
  );
  if (isWanted === undefined) {
    throw new CancelledError();
  }
  return isWanted;
}
