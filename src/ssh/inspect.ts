import { dirname } from 'node:path';
import { ifPresent, isMissing } from '../util/missing';
import type { FileSystem } from './fileSystem';
import { findBlock, placeBlock, type BlockTrouble } from './includeBlock';
import type { SshPaths } from './paths';
import { ProgramMissingError, type Run } from './run';

/** The SSH client of this computer; `version` as it prints it. */
export interface ClientFacts {
  readonly ssh: string | undefined;
  /** Companion programs that are missing. */
  readonly missing: readonly string[];
}

/** The state of the user's config at the place of our lines. */
export type IncludeState = 'first' | 'notFirst' | 'missing' | 'noFile' | 'unreadable' | BlockTrouble;

export interface ConfigFacts {
  readonly file: string;
  readonly include: IncludeState;
  /** True if we can't write there, so the user must paste the line. */
  readonly isReadOnly: boolean;
  /** The line that belongs at the top of the file. */
  readonly line: string;
  /** Our files and folders, and keys, that others can access; `undefined` where file modes don't exist. */
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
  // ssh-keygen has no option that only prints its version: an invalid one ends it at once.
  if ((await version('ssh-keygen', ['-?'])) === undefined) {
    missing.push('ssh-keygen');
  }
  return { ssh, missing };
}

/** Inspects the config without changing anything. */
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

/** Removes the access of others to our files and keys; the user's rights stay unchanged. */
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

/**
 * Returns the files that are too open: ssh refuses files that others can write, and private keys that others can
 * read.
 */
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
 * Returns the mode of a path. The mode of a link is meaningless, and setting it would change its target. ssh skips
 * files of other users too, and they can't be changed.
 */
async function ownModeOf(fs: FileSystem, path: string): Promise<number | undefined> {
  const isOurs = await fs.facts(path).then(
    ({ kind, uid }) => kind !== 'link' && uid === process.getuid?.(),
    () => true,
  );
  return isOurs ? modeOf(fs, path) : undefined;
}

async function modeOf(fs: FileSystem, path: string): Promise<number | undefined> {
  return (await ifPresent(fs.facts(path)))?.mode;
}
