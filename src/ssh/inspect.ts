import { dirname } from 'node:path';
import { isMissing, type FileSystem } from './fileSystem';
import { findBlock, placeBlock, type BlockTrouble } from './includeBlock';
import type { SshPaths } from './paths';
import { ProgramMissingError, type Run } from './run';

/** The SSH client of this computer; `version` as it prints it. */
export interface ClientFacts {
  readonly ssh: string | undefined;
  /** Programs that come with it and are missing. */
  readonly missing: readonly string[];
}

/** What stands in the user's config where our lines belong. */
export type IncludeState = 'first' | 'notFirst' | 'missing' | 'noFile' | 'unreadable' | BlockTrouble;

export interface ConfigFacts {
  readonly file: string;
  readonly include: IncludeState;
  /** Whether the editor writes there, or the line must be pasted by hand. */
  readonly isReadOnly: boolean;
  /** The line that belongs first in it. */
  readonly line: string;
  /** Files and folders of ours, or of keys, that others can use; `undefined` where there are no modes. */
  readonly tooOpen: readonly string[] | undefined;
}

export async function inspectClient(
  run: Run,
  sshProgram: string,
  signal?: AbortSignal,
): Promise<ClientFacts> {
  const version = async (program: string, args: readonly string[]) => {
    try {
      const { stdout, stderr } = await run(program, args, { signal, timeoutMs: 10_000 });
      return (stderr + stdout).trim().split(/\r?\n/)[0] ?? '';
    } catch (error) {
      if (error instanceof ProgramMissingError) {
        return undefined;
      }
      throw error;
    }
  };
  const ssh = await version(sshProgram, ['-V']);
  const missing: string[] = [];
  // It has no option that only prints its version: a wrong one ends it at once.
  if ((await version('ssh-keygen', ['-?'])) === undefined) {
    missing.push('ssh-keygen');
  }
  return { ssh, missing };
}

/** Looks without changing anything. */
export async function inspectConfig(
  fs: FileSystem,
  paths: SshPaths,
  platform: NodeJS.Platform,
  keyFiles: readonly string[],
): Promise<ConfigFacts> {
  const file = paths.userConfig;
  return {
    file,
    include: await includeState(fs, file, paths.includePattern),
    isReadOnly: (((await modeOf(fs, file)) ?? 0o200) & 0o200) === 0,
    line: `Include ${paths.includePattern}`,
    tooOpen: platform === 'win32' ? undefined : (await openTo(fs, paths, keyFiles)).map(({ path }) => path),
  };
}

/** Takes away what others may do with our files and with keys; leaves the rights of the user alone. */
export async function tighten(
  fs: FileSystem,
  paths: SshPaths,
  platform: NodeJS.Platform,
  keyFiles: readonly string[],
): Promise<void> {
  for (const { path, mode, mask } of platform === 'win32' ? [] : await openTo(fs, paths, keyFiles)) {
    await fs.setMode(path, mode & ~mask);
  }
}

async function includeState(fs: FileSystem, file: string, include: string): Promise<IncludeState> {
  let text: string;
  try {
    text = (await fs.read(file)).toString('latin1');
  } catch (error) {
    return isMissing(error) ? 'noFile' : 'unreadable';
  }
  const placed = placeBlock(text, include, false);
  if (placed.kind === 'same') {
    return 'first';
  }
  if (placed.kind === 'trouble') {
    return placed.trouble;
  }
  return findBlock(text).kind === 'block' ? 'notFirst' : 'missing';
}

/** Writable by others is what ssh refuses; a private key must not even be readable. */
async function openTo(fs: FileSystem, paths: SshPaths, keyFiles: readonly string[]) {
  const watched = [
    ...[dirname(paths.ownDir), paths.ownDir, paths.knownHosts].map((path) => ({ path, mask: 0o022 })),
    ...keyFiles.map((path) => ({ path, mask: 0o077 })),
  ];
  const modes = await Promise.all(
    watched.map(async (one) => ({ ...one, mode: (await ownModeOf(fs, one.path)) ?? 0 })),
  );
  return modes.filter(({ mode, mask }) => (mode & mask) !== 0);
}

/**
 * The mode of a link says nothing, and to set it would change what it leads to. What belongs to another user is not
 * looked at by ssh either, and can't be changed.
 */
async function ownModeOf(fs: FileSystem, path: string): Promise<number | undefined> {
  const isOurs = await fs.facts(path).then(
    ({ kind, uid }) => kind !== 'link' && uid === process.getuid?.(),
    () => true,
  );
  return isOurs ? modeOf(fs, path) : undefined;
}

async function modeOf(fs: FileSystem, path: string): Promise<number | undefined> {
  try {
    return (await fs.facts(path)).mode;
  } catch (error) {
    if (isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}
