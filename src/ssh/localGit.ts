import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { UserError } from '../util/errors';
import { isMissing } from '../util/missing';
import { text, type Text } from '../util/text';
import { plainText } from './plainText';
import { parseRepositoryUrl, type RepositoryUrl } from './repositoryUrl';
import { ProgramMissingError, type Run } from './run';

/** A repository of this computer that git could not read: what it ignores, changed or saved is unknown. */
export class UnreadRepositoryError extends UserError {
  /** True if this computer has no git at all. */
  readonly isWithoutGit: boolean;

  constructor(folder: string, why: Text | string, cause?: unknown) {
    super(text('Git could not read {0}: {1}', folder, why), { nextStep: 'retry', cause });
    this.isWithoutGit = cause instanceof ProgramMissingError;
  }
}

/**
 * Returns the folder whose `.git` holds for a folder, and `undefined` in no repository. As git does, it looks at the real
 * folder and those above it on the same disk.
 */
export async function repositoryAround(folder: string): Promise<string | undefined> {
  const real = await realpath(folder);
  const { dev } = await stat(real);
  for (let at = real; ; at = dirname(at)) {
    if (await holdsRepository(at)) {
      return at;
    }
    const parent = dirname(at);
    if (parent === at || (await stat(parent)).dev !== dev) {
      return undefined;
    }
  }
}

/** Returns whether `.git` of a folder holds anything, be it damaged or not. One that can't be read is taken for one that does. */
export async function holdsRepository(folder: string): Promise<boolean> {
  const entry = join(folder, '.git');
  try {
    return !(await lstat(entry)).isDirectory() || (await readdir(entry)).length > 0;
  } catch (error) {
    return !isMissing(error);
  }
}

interface Asker {
  readonly run: Run;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns what git prints about a folder of a repository, for `repositoryAround`. It reads no other repository in place of
 * a damaged one, runs nothing that the repository names, and asks the user nothing.
 *
 * @throws UnreadRepositoryError if git is missing, fails, warns, or takes longer than `timeoutMs`.
 */
export async function askGit(
  { run, signal }: Asker,
  repository: string | undefined,
  folder: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string> {
  const pieces: Buffer[] = [];
  const above = repository === undefined ? delimiter : dirname(repository);
  const result = await run('git', ['-C', folder, '-c', 'core.fsmonitor=false', ...args], {
    signal,
    timeoutMs,
    withoutEnv: ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE'],
    env: {
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_TERMINAL_PROMPT: '0',
      // A list, in which such a name would be two.
      ...(above.includes(delimiter) ? {} : { GIT_CEILING_DIRECTORIES: above }),
    },
    output: async (bytes) => {
      for await (const piece of bytes) {
        pieces.push(piece);
      }
    },
  }).catch((error: unknown) => {
    if (signal?.aborted) {
      throw error;
    }
    const why = error instanceof ProgramMissingError ? text('Git is not installed') : String(error);
    throw new UnreadRepositoryError(folder, why, error);
  });
  const message = /^(?:warning|error|fatal): (.*)/m.exec(result.stderr)?.[1];
  if (result.timedOut) {
    throw new UnreadRepositoryError(folder, text('it took longer than {0} s', timeoutMs / 1000));
  }
  if (result.code !== 0 || message !== undefined) {
    throw new UnreadRepositoryError(
      folder,
      plainText(message ?? result.stderr) || text('it ended with code {0}', result.code ?? '–'),
    );
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Limit for questions about a whole repository (ms). */
const briefMs = 5_000;

/** Returns the remotes that can be cloned elsewhere, `origin` first. @throws UnreadRepositoryError */
export async function remotesOf(asker: Asker, folder: string): Promise<readonly RepositoryUrl[]> {
  // On a Mac without git, calling it opens a dialog to install it.
  const repository = await repositoryAround(folder);
  const ask = (...args: readonly string[]) => askGit(asker, repository, folder, args, briefMs);
  // `git config` fails if there is none, and leaves out the config of a repository that git refuses.
  if (repository === undefined || (await ask('remote')).trim() === '') {
    return [];
  }
  const lines = (await ask('config', '--get-regexp', '^remote\\..*\\.url$'))
    .split('\n')
    .map((line) => /^remote\.(.*)\.url (.+)$/.exec(line));
  // `origin` is what the folder was cloned from; it is first.
  const sorted = lines.filter((line) => line !== null).sort((line) => (line[1] === 'origin' ? -1 : 0));
  return sorted.map((line) => parseRepositoryUrl(line[2] ?? '')).filter((address) => address !== undefined);
}

export interface Commit {
  readonly hash: string;
  /** Absent if git could not read what is not committed. */
  readonly isDirty?: boolean;
}

/** Returns the commit of a folder; `undefined` in no repository, before its first commit, and where git can't read it. */
export async function commitOf(asker: Asker, folder: string): Promise<Commit | undefined> {
  const repository = await repositoryAround(folder);
  const ask = async (...args: readonly string[]) => {
    try {
      return await askGit(asker, repository, folder, args, briefMs);
    } catch (error) {
      if (error instanceof UnreadRepositoryError) {
        return undefined;
      }
      throw error;
    }
  };
  const hash = repository === undefined ? undefined : (await ask('rev-parse', '--verify', 'HEAD'))?.trim();
  if (!hash) {
    return undefined;
  }
  const changes = await ask('status', '--porcelain', '--untracked-files=normal', '--ignore-submodules=none');
  return changes === undefined ? { hash } : { hash, isDirty: changes !== '' };
}
