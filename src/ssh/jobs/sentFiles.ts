import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { namedFiles, matcher, sentNames } from '../../model/jobs/sentNames';
import type { JobSpec } from '../../model/jobs/jobSpec';
import { UserError } from '../../util/errors';
import { ifPresent } from '../../util/missing';
import { text } from '../../util/text';
import { listedTree, whyNotRead, type LocalTree } from '../fileTree';
import type { Run } from '../run';
import { reasons, type LeftOut } from '../transfer';
import { matcherOf } from './outputPatterns';

export interface SentFiles {
  readonly names: readonly string[];
  readonly tree: Pick<LocalTree, 'files' | 'links'>;
  /** Files that the rules of the job and of the product exclude; files that git ignores are not listed. */
  readonly leftOut: readonly LeftOut[];
  readonly isFromGit: boolean;
}

interface Computer {
  readonly run: Run;
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

/** Finds what a job sends of a workspace. Refuses the home folder and its parents. */
export async function findSentFiles(
  computer: Computer,
  workspace: string,
  spec: Pick<JobSpec, 'workdir' | 'sync'>,
  outputFolders: readonly string[],
): Promise<SentFiles> {
  const root = join(workspace, ...spec.workdir.split('/'));
  if (!spec.sync) {
    return { names: [], tree: { files: [], links: new Map() }, leftOut: [], isFromGit: false };
  }
  await checkFolder(root);
  await checkRoot(root, computer.home);
  const { sync } = spec;
  const unread: LeftOut[] = [];
  const listed = await listedByGit(computer, root, unread);
  const ignoreFile = await ifPresent(readFile(join(root, '.gpurentalignore'), 'utf8'));
  const wanted = matcher(sync.include);
  const all = listed && sync.include.length === 0 && !sync.git ? [] : await walk(root, sync.git, unread);
  const names = [
    ...(listed ?? (await withoutIgnored(root, all))),
    ...all.filter((name) => wanted.ignores(name) || (sync.git && name.startsWith('.git/'))),
  ];
  const chosen = sentNames(names, sync, { ignoreFile, outputFolders });
  const tree = await listedTree(root, chosen.names);
  const notSent = new Set(tree.leftOut.map(({ name }) => name));
  return {
    names: chosen.names.filter((name) => !notSent.has(name)),
    tree,
    // Files that git still knows and the disk lacks are no loss.
    leftOut: [...chosen.leftOut, ...unread, ...tree.leftOut.filter(({ why }) => why !== reasons.gone)],
    isFromGit: listed !== undefined,
  };
}

/**
 * What was chosen when the job was ordered, as it is now. Throws where its folder is gone, or on a disk that is away: an
 * empty folder would take its place.
 */
export async function sentTree(root: string, names: readonly string[]): Promise<LocalTree> {
  if (names.length > 0) {
    await checkFolder(root);
  }
  return listedTree(root, names);
}

async function checkFolder(root: string): Promise<void> {
  if (!(await isFolder(root))) {
    throw new UserError(text('The folder {0} isn’t there, so its files can’t be sent.', root));
  }
}

/** Files of the workspace that a script names and that are not sent, without outputs, which the job itself may write. */
export async function missingFiles(
  workspace: string,
  spec: NamingSpec,
  sent: Pick<SentFiles, 'names'>,
): Promise<readonly string[]> {
  const root = join(workspace, ...spec.workdir.split('/'));
  const names = new Set(sent.names);
  const isOutput = matcherOf(spec.outputs);
  const missing: string[] = [];
  for (const name of namedFiles(`${spec.setup ?? ''}\n${spec.run}`)) {
    if (!names.has(name) && !isOutput(name) && (await isFile(join(root, name)))) {
      missing.push(name);
    }
  }
  return missing;
}

type NamingSpec = Pick<JobSpec, 'workdir' | 'run' | 'setup' | 'outputs'>;

const nothingSent = text('the command names it, and nothing in it is sent');
const outputNotSent = text('the command names it, and outputs are not sent');

/**
 * Returns what a script names of the workspace and does not get: folders of which nothing is sent, such as data that Git
 * ignores, and outputs of earlier runs. The job may only write there, so it can run.
 */
export async function unsentNames(
  workspace: string,
  spec: NamingSpec,
  sent: Pick<SentFiles, 'names'>,
): Promise<readonly LeftOut[]> {
  const root = join(workspace, ...spec.workdir.split('/'));
  const isOutput = matcherOf(spec.outputs);
  const found = new Map<string, LeftOut>();
  for (const named of namedFiles(`${spec.setup ?? ''}\n${spec.run}`)) {
    const name = `${named.replace(/\/+$/, '')}/`;
    const isSent = isOutput(`${name}x`) || sent.names.some((one) => one.startsWith(name));
    if (!isSent && (await isFolder(join(root, name)))) {
      found.set(name, { name, why: nothingSent });
    } else if (isOutput(named) && !sent.names.includes(named) && (await isFile(join(root, named)))) {
      found.set(named, { name: named, why: outputNotSent });
    }
  }
  return [...found.values()];
}

/** By what the disk says: the same folder has several names where case does not count, or by a link. */
async function checkRoot(root: string, home: string): Promise<void> {
  const folder = resolve(root);
  const own = await identityOf(folder);
  let isHome = folder === dirname(folder);
  for (const one of upFrom(resolve(home))) {
    isHome ||= one === folder || (own !== undefined && (await identityOf(one)) === own);
  }
  if (isHome) {
    throw new UserError(
      text('{0} is or holds your home folder, which is never sent. Open the folder of a project.', folder),
    );
  }
}

/** The folder and all that hold it. */
function upFrom(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upFrom(parent)];
}

async function identityOf(folder: string): Promise<string | undefined> {
  const facts = await stat(folder, { bigint: true }).catch(() => undefined);
  // Some disks number nothing.
  return facts === undefined || facts.ino === 0n ? undefined : `${facts.dev} ${facts.ino}`;
}

/**
 * Also lists what is new and not ignored, and repositories inside of this one, of which git names only the folder.
 * Returns `undefined` if the folder is in no repository, or git is missing.
 */
async function listedByGit(
  computer: Computer,
  root: string,
  unread: LeftOut[],
): Promise<readonly string[] | undefined> {
  const known = await listFiles(computer, root, '--cached', '--recurse-submodules');
  const staged = known && (await listFiles(computer, root, '--stage'));
  const others = staged && (await listFiles(computer, root, '--others', '--exclude-standard'));
  if (!others) {
    return undefined;
  }
  // One that was added without being a submodule is a commit for git.
  const commits = new Set(staged.flatMap((line) => /^160000 [^\t]*\t([^]+)$/.exec(line)?.[1] ?? []));
  const names: (readonly string[])[] = [];
  for (const name of [...known.filter((one) => commits.has(one)), ...others.filter(isFolderName)]) {
    const kind = await kindOfGit(join(root, name));
    const isTree = kind === 'file' && !commits.has(name);
    const below = isTree || !kind ? undefined : await listedByGit(computer, join(root, name), unread);
    if (below) {
      names.push(below.map((one) => `${name.replace(/\/$/, '')}/${one}`));
    } else if (kind) {
      unread.push({ name, why: isTree ? anotherTree : notListed });
    }
  }
  return [known, others]
    .flat()
    .filter((name) => !isFolderName(name) && !commits.has(name))
    .concat(...names);
}

function isFolderName(name: string): boolean {
  return name.endsWith('/');
}

/** Returns what makes a folder a repository of its own: a folder, or a file for a working tree or a submodule. */
async function kindOfGit(folder: string): Promise<'file' | 'folder' | undefined> {
  return lstat(join(folder, '.git')).then(
    (facts) => (facts.isDirectory() ? 'folder' : 'file'),
    () => undefined,
  );
}

const anotherTree = text('another working tree of Git');
const notListed = text('a Git repository whose files could not be listed');

/** Returns what git prints for the files of a folder, and `undefined` if it fails. */
async function listFiles(
  { run, signal }: Computer,
  root: string,
  ...more: readonly string[]
): Promise<readonly string[] | undefined> {
  const pieces: Buffer[] = [];
  // git would run a file system monitor that the repository names.
  const args = ['-C', root, '-c', 'core.fsmonitor=false', 'ls-files', '-z', ...more];
  const result = await run('git', args, {
    signal,
    timeoutMs: 60_000,
    output: async (bytes) => {
      for await (const piece of bytes) {
        pieces.push(piece);
      }
    },
  }).catch((error: unknown) => {
    if (signal?.aborted) {
      throw error;
    }
    return undefined;
  });
  return result?.code === 0
    ? Buffer.concat(pieces)
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '')
    : undefined;
}

/** Folders that are never searched; `include` can't name their content either. */
const heavy = new Set(['node_modules', '.venv', 'venv', '__pycache__', '.mypy_cache', '.ipynb_checkpoints']);

/** Lists all files; `unread` collects folders that can't be read. */
async function walk(
  root: string,
  withGit: boolean,
  unread: LeftOut[],
  below = '',
): Promise<readonly string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: unknown) => {
    if (below === '') {
      throw error;
    }
    unread.push({ name: below, why: whyNotRead(below, error) });
    return [];
  });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const name = below === '' ? entry.name : `${below}/${entry.name}`;
      if (!entry.isDirectory()) {
        return entry.isFile() || entry.isSymbolicLink() ? [name] : [];
      }
      const isSpared = heavy.has(entry.name) || (entry.name === '.git' && !withGit);
      return isSpared ? [] : walk(root, withGit, unread, name);
    }),
  );
  return found.flat();
}

/** Applies the `.gitignore` of each folder when git is not available. */
async function withoutIgnored(root: string, names: readonly string[]): Promise<readonly string[]> {
  const folders = names
    .filter((name) => name === '.gitignore' || name.endsWith('/.gitignore'))
    .map((name) => name.slice(0, -'.gitignore'.length))
    .sort((a, b) => a.length - b.length);
  let left = names;
  for (const folder of folders) {
    const rules = matcher([(await ifPresent(readFile(join(root, folder, '.gitignore'), 'utf8'))) ?? '']);
    left = left.filter((name) => !name.startsWith(folder) || !rules.ignores(name.slice(folder.length)));
  }
  return left;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
