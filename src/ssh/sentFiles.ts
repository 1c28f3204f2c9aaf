import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { matcher, secretNames, sentNames, type SendRules } from '../model/workspace/sentNames';
import { errorCode } from '../util/errorCode';
import { UserError } from '../util/errors';
import { identityOf, LeadsOutError, readPlace, realPlace, type Place } from '../util/realPlace';
import { text } from '../util/text';
import { listedTree, whyNotRead, type LocalTree } from './fileTree';
import { askGit, holdsRepository, repositoryAround, UnreadRepositoryError } from './localGit';
import type { Run } from './run';
import { reasons, type LeftOut } from './transfer';

export interface SentFiles {
  readonly names: readonly string[];
  readonly tree: Pick<LocalTree, 'files' | 'links'>;
  /** Those of the names that look like secrets, which only `include` brings. */
  readonly secretFiles: readonly string[];
  /** Files that the rules of the workspace, of the job and of the product exclude; files that git ignores are not listed. */
  readonly leftOut: readonly LeftOut[];
  readonly isFromGit: boolean;
}

interface Computer {
  readonly run: Run;
  readonly home: string;
  readonly signal?: AbortSignal | undefined;
}

/** What is sent of a workspace. */
export interface SentPart {
  /** Relative to the workspace folder, with forward slashes; `.` for the folder itself. */
  readonly workdir: string;
  /** Absent: no files are sent. */
  readonly sync?: SendRules;
}

/** Finds what a job or a mirror sends of a workspace. Refuses the home folder and its parents. */
export async function findSentFiles(
  computer: Computer,
  workspace: string,
  spec: SentPart,
  outputFolders: readonly string[],
): Promise<SentFiles> {
  if (!spec.sync) {
    const tree = { files: [], links: new Map<string, string>() };
    return { names: [], tree, secretFiles: [], leftOut: [], isFromGit: false };
  }
  const root = await sentRoot(workspace, spec);
  await checkRoot(root, computer.home);
  const { sync } = spec;
  const unread: LeftOut[] = [];
  const repository = await repositoryAround(root);
  const listed = await listedByGit(computer, repository, root, unread).catch((error: unknown) => {
    // Then only the files of Git itself define what it ignores, which the confirmation shows.
    if (error instanceof UnreadRepositoryError && (repository === undefined || error.isWithoutGit)) {
      return undefined;
    }
    throw error;
  });
  const ignoreFile = await readPlace({ path: join(root, '.gpurentalignore'), root: { opened: workspace } });
  const wanted = matcher(sync.include);
  const all = listed && sync.include.length === 0 && !sync.git ? [] : await walk(root, sync.git, unread);
  const names = [
    ...(listed ?? (await withoutIgnored(root, repository, all))),
    ...all.filter((name) => wanted.ignores(name) || (sync.git && name.startsWith('.git/'))),
  ];
  const workdir = relative(await realpath(workspace), root)
    .split(sep)
    .join('/');
  const chosen = sentNames(names, sync, { ignoreFile, outputFolders, workdir });
  const tree = await listedTree(root, chosen.names);
  const notSent = new Set(tree.leftOut.map(({ name }) => name));
  const sent = chosen.names.filter((name) => !notSent.has(name));
  return {
    names: sent,
    tree,
    secretFiles: secretNames(sent, workdir),
    // Deleted files that git still lists are no loss.
    leftOut: [...chosen.leftOut, ...unread, ...tree.leftOut.filter(({ why }) => why !== reasons.gone)],
    isFromGit: listed !== undefined,
  };
}

export function sentBytes({ tree }: Pick<SentFiles, 'tree'>): number {
  return tree.files.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Returns the files that were chosen when the job was ordered, as they are now. Throws
 * if their folder or its disk is gone: an empty folder would replace it on the machine.
 */
export async function sentTree(place: Place, names: readonly string[]): Promise<LocalTree> {
  const tree = await listedTree(names.length === 0 ? place.path : await folderAt(place), names);
  const outside = tree.leftOut.find(({ why }) => why === reasons.leadsOut);
  if (outside) {
    throw new LeadsOutError({ ...place, path: join(place.path, ...outside.name.split('/')) });
  }
  return tree;
}

/** Returns the real folder that is sent. Throws if it is gone, or a link leads out of the workspace. */
export function sentRoot(workspace: string, { workdir }: Pick<SentPart, 'workdir'>): Promise<string> {
  return folderAt({ path: join(workspace, ...workdir.split('/')), root: { opened: workspace } });
}

async function folderAt(place: Place): Promise<string> {
  const root = await realPlace(place);
  if (!(await isFolder(root))) {
    throw new UserError(text('The folder {0} isn’t there, so its files can’t be sent.', place.path));
  }
  return root;
}

/** Compares folders by the disk's numbers: the same folder has several names if case does not count, or by a link. */
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

/**
 * Also lists what is new and not ignored, and repositories inside of this one, of which git names only the folder.
 *
 * @throws UnreadRepositoryError if git fails: its other rules are unknown then, and what they ignore must not be sent.
 */
async function listedByGit(
  computer: Computer,
  repository: string | undefined,
  root: string,
  unread: LeftOut[],
): Promise<readonly string[]> {
  const listFiles = async (...more: readonly string[]) =>
    (await askGit(computer, repository, root, ['ls-files', '-z', ...more], 60_000))
      .split('\0')
      .filter((name) => name !== '');
  const known = await listFiles('--cached', '--recurse-submodules');
  const staged = await listFiles('--stage');
  const others = await listFiles('--others', '--exclude-standard');
  // One that was added without being a submodule is a commit for git.
  const commits = new Set(staged.flatMap((line) => /^160000 [^\t]*\t([^]+)$/.exec(line)?.[1] ?? []));
  const damaged = await damagedAmong(root, [...known, ...others]);
  unread.push(...damaged.map((name) => ({ name, why: notListed })));
  const isOwn = (name: string) =>
    !isFolderName(name) && !commits.has(name) && !damaged.some((folder) => name.startsWith(folder));
  const names: (readonly string[])[] = [];
  for (const name of [...known.filter((one) => commits.has(one)), ...others.filter(isFolderName)]) {
    const kind = await kindOfGit(join(root, name));
    const isTree = kind === 'file' && !commits.has(name);
    const inner = join(root, name);
    const below = isTree || !kind ? undefined : await listedInside(computer, inner, unread);
    if (below) {
      names.push(below.map((one) => `${name.replace(/\/$/, '')}/${one}`));
    } else if (kind) {
      unread.push({ name, why: isTree ? anotherTree : notListed });
    }
  }
  return [known, others]
    .flat()
    .filter(isOwn)
    .concat(...names);
}

/** The same for a repository inside of another; `undefined` if git can't read it. */
async function listedInside(
  computer: Computer,
  root: string,
  unread: LeftOut[],
): Promise<readonly string[] | undefined> {
  try {
    return await listedByGit(computer, await realpath(root), root, unread);
  } catch (error) {
    if (error instanceof UnreadRepositoryError) {
      return undefined;
    }
    throw error;
  }
}

/**
 * Returns the folders, with a slash at their end, that hold a repository which git took for plain folders because it is
 * damaged.
 */
async function damagedAmong(root: string, names: readonly string[]): Promise<readonly string[]> {
  const folders = new Set(names.filter((one) => !isFolderName(one)).flatMap(foldersOf));
  folders.delete('');
  const found = await Promise.all(
    [...folders].map(async (folder) => ((await holdsRepository(join(root, folder))) ? [folder] : [])),
  );
  return found.flat();
}

/** Returns the folders that a file is in, outermost first and with a slash at their end. */
function foldersOf(name: string): readonly string[] {
  const parts = name.split('/').slice(0, -1);
  return ['', ...parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)];
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

/**
 * Applies the `.gitignore` of each folder when git is not available, those of the folders above in the same repository
 * included, and the rules that the repository keeps for itself.
 */
async function withoutIgnored(
  root: string,
  repository: string | undefined,
  names: readonly string[],
): Promise<readonly string[]> {
  const top = repository ?? (await realpath(root));
  const below = relative(top, await realpath(root))
    .split(sep)
    .join('/');
  const start = below === '' ? '' : `${below}/`;
  const folders = new Set(
    [`${start}.`, ...names.map((name) => `${start}${name}`)].flatMap((name) => foldersOf(name)),
  );
  let remaining = names;
  for (const folder of [...folders].sort((a, b) => a.length - b.length)) {
    for (const file of ['.git/info/exclude', '.gitignore']) {
      const content = await rulesIn({ path: join(top, folder, file), root: { opened: top } });
      const rules = content === undefined ? undefined : matcher([content]);
      remaining = rules
        ? remaining.filter((name) => {
            const inTop = `${start}${name}`;
            return !inTop.startsWith(folder) || !rules.ignores(inTop.slice(folder.length));
          })
        : remaining;
    }
  }
  return remaining;
}

/** Returns `undefined` for a place without a file. */
async function rulesIn(place: Place): Promise<string | undefined> {
  if (await isFolder(place.path)) {
    return undefined;
  }
  return readPlace(place).catch((error: unknown) => {
    if (errorCode(error) === 'ENOTDIR') {
      return undefined;
    }
    throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
