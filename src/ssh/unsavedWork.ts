import type { MachineProbe } from '../model/instances/machineProbe';
import { defined } from '../util/defined';
import type { Text } from '../util/text';
import looseFilesScript from './looseFiles.sh';
import { isRemotePath } from './remoteFolders';
import type { SshService } from './service';
import unsavedGit from './unsavedGit.sh';

/** A git repository with content that exists nowhere else, or that git could not read whole. */
export interface UnsavedRepository {
  readonly path: string;
  /** Changed and uncommitted files, and stashes; counted up to a thousand. */
  readonly changes: number | 'unknown';
  /** Commits that no remote has; counted up to a thousand. */
  readonly unpushed: number | 'unknown';
}

export interface UnsavedWork {
  readonly repositories: readonly UnsavedRepository[];
  /** What the other looks found. */
  readonly others: readonly Text[];
  /** The working folder, if there was time to measure it. */
  readonly folder?: { readonly path: string; readonly kilobytes: number };
  /** False if there may be repositories that are not named: the time was up, or a folder could not be searched. */
  readonly isComplete: boolean;
}

const greeting = 'gpu-rental unsaved work';

/** Constant: no text from a user or a service is ever part of it. */
const gitScript = [
  'work="$HOME"',
  'for dir in /workspace "$HOME/workspace"; do [ -d "$dir" ] && work="$dir"; done',
  `(\n${unsavedGit}\n)`,
  'du -sk "$work" 2>/dev/null | while read -r size dir; do printf "size %d %s\\n" "$size" "$dir"; done',
].join('\n');

/** Searches for unsaved work, also by `looks`; `undefined` if the machine did not let us in in time. */
export async function findUnsavedWork(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  probes: readonly MachineProbe[],
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<UnsavedWork | undefined> {
  const others = probes.map(({ script }) => `(\n${script}\n)`);
  const script = [`printf "%s\\n" "${greeting}"`, ...others, gitScript].join('\n');
  const { stdout } = await ssh.exec(alias, script, { ...options, isLook: true });
  return parseUnsavedWork(stdout, probes);
}

/** Returns a probe of a machine for files that only its disk has, other than those that Git reports. */
export function looseFiles(): { readonly probe: MachineProbe; readonly areNone: () => boolean } {
  let areNone = false;
  const read: MachineProbe['read'] = (lines) => {
    areNone = lines.includes('no loose files');
    return [];
  };
  return { probe: { script: looseFilesScript, read }, areNone: () => areNone };
}

/** Parses the output of the script, also if incomplete; other lines are left out. */
export function parseUnsavedWork(
  stdout: string,
  probes: readonly Pick<MachineProbe, 'read'>[] = [],
): UnsavedWork | undefined {
  const lines = stdout.split(/\r?\n/);
  const start = lines.indexOf(greeting);
  if (start < 0) {
    return undefined;
  }
  const own = lines.slice(start + 1);
  const found = own.filter((line) => line.startsWith('repo ')).map(repositoryOf);
  const repositories = found
    .filter((one) => one !== undefined)
    .filter(({ changes, unpushed }) => changes !== 0 || unpushed !== 0);
  const sizes = own.flatMap((line) => {
    const [, kilobytes, path] = /^size (\d{1,15}) (.*)$/.exec(line) ?? [];
    return isRemotePath(path) ? [{ path, kilobytes: Number(kilobytes) }] : [];
  });
  const folder = sizes.at(-1);
  return defined<UnsavedWork>({
    repositories,
    others: probes.flatMap(({ read }) => read(own)),
    folder,
    isComplete: own.includes('all') && !found.includes(undefined),
  });
}

/** Returns `undefined` for a line that does not state what is saved, or whose folder can't be shown. */
function repositoryOf(line: string): UnsavedRepository | undefined {
  const [, changes, unpushed, path] = /^repo (\d{1,4}|\?) (\d{1,4}|\?) (.*)$/.exec(line) ?? [];
  return isRemotePath(path) ? { path, changes: counted(changes), unpushed: counted(unpushed) } : undefined;
}

function counted(value: string | undefined): number | 'unknown' {
  return value === undefined || value === '?' ? 'unknown' : Number(value);
}
