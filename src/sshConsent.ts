import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import { errorCode } from './util/errorCode';
import { namesPrograms } from './ssh/namesPrograms';
import { nodeEnvironment } from './ssh/nodeSsh';
import { sshPaths, type SshEnvironment } from './ssh/paths';
import { findResolvers } from './ssh/resolvers';
import { CancelledError } from './util/errors';
import { t } from './editor/localize';
import { ask } from './editor/message';
import { plainLabel } from './editor/quickPick';
import type { SettingsReader } from './editor/settings';

type Named = Pick<SshEnvironment, 'configFile' | 'sshPath'>;

/** Something of the settings that can run on this computer. */
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
 * What the settings of Remote-SSH name for SSH, as far as the user agreed to run it: a setting can be there without
 * the user's doing, by a profile, a sync or another extension. An answer holds for one path.
 */
export class SshConsent {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly settings: SettingsReader,
  ) {}

  /** The program and the config to use now; `undefined` stands for the usual one. Never asks. */
  agreed(): Named {
    const { named, runnable } = this.look();
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

  /** Whether nothing is left to ask: what runs without the user's doing waits for that. */
  isAnswered(): boolean {
    const answers = this.answers();
    return this.look().runnable.every(({ setting, path }) => answers[setting]?.path === path);
  }

  /** Asks about what was not answered yet, before something that the user started. Dismissed, it rejects as cancelled. */
  ask(): Promise<void> {
    this.asking ??= this.askAll().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async askAll(): Promise<void> {
    const { runnable } = this.look();
    const old = this.answers();
    // An answer ends with its path, so that clearing a setting is the way to be asked again.
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

  private look(): { readonly named: Named; readonly runnable: readonly Runnable[] } {
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

/** `undefined` for the usual program. A relative path would mean another file in each folder that is opened. */
function fullProgram(named: string | undefined): string | undefined {
  if (named === undefined || /^ssh(?:\.exe)?$/i.test(named)) {
    return undefined;
  }
  return isAbsolute(named) || !/[\\/]/.test(named) ? named : resolve(named);
}

/** The full path of the config that the settings name, where it can run programs that the usual one does not name. */
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
    // What is not there runs nothing; what can't be read here might be readable for ssh a moment later.
    return errorCode(error) === 'ENOENT' ? undefined : userConfig;
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
