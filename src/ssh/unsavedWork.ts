import { defined } from '../util/defined';
import type { JobThere } from '../model/jobs/onMachine';
import { parseJobs } from './jobs/otherJobs';
import { jobPrograms } from './jobs/programs';
import { isRemotePath } from './remoteFolders';
import type { SshService } from './service';

/** A git repository with content that exists nowhere else. */
export interface UnsavedRepository {
  readonly path: string;
  /** Changed and uncommitted files, and stashes; counted up to a thousand. */
  readonly changes: number;
  /** Commits that no remote has; counted up to a thousand. */
  readonly unpushed: number;
}

export interface UnsavedWork {
  readonly repositories: readonly UnsavedRepository[];
  /** Jobs of any computer that run, or whose outputs were not fetched. */
  readonly jobs: readonly JobThere[];
  /** The working folder, if there was time to measure it. */
  readonly folder?: { readonly path: string; readonly kilobytes: number };
  /** False if the time was up before all repositories were read, or git is missing. */
  readonly isComplete: boolean;
}

const greeting = 'gpu-rental unsaved work';

/** Constant: no text from a user or a service is ever part of it. */
const lookScript = [
  `printf "%s\\n" "${greeting}"`,
  'export GIT_OPTIONAL_LOCKS=0',
  `(\n${jobPrograms.others}\n)`,
  'work="$HOME"',
  'for dir in /workspace "$HOME/workspace"; do [ -d "$dir" ] && work="$dir"; done',
  'own() { git -c "safe.directory=*" -C "$repo" "$@" 2>/dev/null; }',
  'count() { head -n 1000 | wc -l; }',
  [
    'command -v git >/dev/null && {',
    'find "$HOME" /workspace -maxdepth 4 -name .git -prune 2>/dev/null | sort -u | head -n 100 |',
    'while IFS= read -r entry; do repo="${entry%/.git}";',
    'printf "repo %d %d %s\\n" "$({ own status --porcelain; own stash list; } | count)"',
    '"$(own rev-list HEAD --branches --not --remotes | count)" "$repo"; done; echo all; }',
  ].join(' '),
  'du -sk "$work" 2>/dev/null | while read -r size dir; do printf "size %d %s\\n" "$size" "$dir"; done',
].join('\n');

/** Searches for unsaved work; `undefined` if the machine did not let us in in time. */
export async function findUnsavedWork(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs: number },
): Promise<UnsavedWork | undefined> {
  const { stdout } = await ssh.exec(alias, lookScript, options);
  return parseUnsavedWork(stdout);
}

/** Parses the output of the script, also if incomplete; other lines are left out. */
export function parseUnsavedWork(stdout: string): UnsavedWork | undefined {
  const lines = stdout.split(/\r?\n/);
  const start = lines.indexOf(greeting);
  if (start < 0) {
    return undefined;
  }
  const own = lines.slice(start + 1);
  const repositories = own.flatMap((line) => {
    const [, changes, unpushed, path] = /^repo (\d{1,4}) (\d{1,4}) (.*)$/.exec(line) ?? [];
    return isRemotePath(path) && Number(changes) + Number(unpushed) > 0
      ? [{ path, changes: Number(changes), unpushed: Number(unpushed) }]
      : [];
  });
  const sizes = own.flatMap((line) => {
    const [, kilobytes, path] = /^size (\d{1,15}) (.*)$/.exec(line) ?? [];
    return isRemotePath(path) ? [{ path, kilobytes: Number(kilobytes) }] : [];
  });
  const folder = sizes.at(-1);
  return defined<UnsavedWork>({
    repositories,
    jobs: parseJobs(own),
    folder,
    isComplete: own.includes('all'),
  });
}
