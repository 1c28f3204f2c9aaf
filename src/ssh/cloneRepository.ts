import { UserError } from '../util/errors';
import { text } from '../util/text';
import { quoteForShell } from './commandLine';
import { plainText } from './plainText';
import { isRemotePath } from './remoteFolders';
import type { RepositoryUrl } from './repositoryUrl';
import type { SshService } from './service';

export type CloneResult =
  | { readonly kind: 'cloned'; readonly folder: string }
  /** A folder of that name exists; nothing was changed. */
  | { readonly kind: 'exists'; readonly folder: string }
  /** git is not installed on the machine. */
  | { readonly kind: 'noGit' }
  /** The host of the repository requires a login. */
  | { readonly kind: 'noAccess'; readonly message: string };

/** The repository could not be cloned, for a reason that git reported. */
export class CloneError extends UserError {
  constructor(message: string) {
    super(text('The repository could not be cloned: {0}', plainText(message) || '–'), { nextStep: 'retry' });
  }
}

/** No answer: the repository may be there, in part or whole, or still be on its way. */
export class CloneNotKnownError extends UserError {
  constructor(message: string) {
    super(
      text(
        'The connection ended before the instance confirmed the clone, so it may still be running or be incomplete. Check the folder before you use it. ({0})',
        plainText(message) || '–',
      ),
      { nextStep: 'retry' },
    );
  }
}

const exists = 73;
const noGit = 74;
const noAccess =
  /could not read Username|Authentication failed|Permission denied|Repository not found|access denied/i;

/**
 * Clones into `/workspace`, or into the home folder if that does not exist. git asks nothing on the machine, and only
 * the address is sent from this computer.
 */
export async function cloneRepository(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  { url, name }: RepositoryUrl,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: (percent: number) => void;
  } = {},
): Promise<CloneResult> {
  const script = [
    'd="$HOME"; [ -d /workspace ] && [ -w /workspace ] && d=/workspace',
    `t="$d"/${quoteForShell(name)}`,
    'printf "folder %s\\n" "$t"',
    `[ -e "$t" ] && exit ${exists}`,
    `command -v git >/dev/null 2>&1 || exit ${noGit}`,
    'export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false SSH_ASKPASS=false',
    'export GIT_SSH_COMMAND="ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new"',
    `exec git clone --progress -- ${quoteForShell(url)} "$t" 2>&1`,
  ].join('\n');
  const result = await ssh.exec(alias, script, {
    // A private repository may need a key of the user.
    usesAgent: true,
    signal: options.signal,
    onStdout: (piece) => {
      const percent = [...piece.matchAll(/Receiving objects:\s+(\d{1,3})%/g)].at(-1)?.[1];
      if (percent !== undefined) {
        options.onProgress?.(Math.min(100, Number(percent)));
      }
    },
  });
  const folder = /^folder (.+)$/m.exec(result.stdout)?.[1] ?? '';
  if (result.code === noGit) {
    return { kind: 'noGit' };
  }
  if (isRemotePath(folder) && (result.code === 0 || result.code === exists)) {
    return { kind: result.code === 0 ? 'cloned' : 'exists', folder };
  }
  // git's messages are in the output; the other stream belongs to our own login.
  const words = result.stdout.includes('Cloning into') ? result.stdout : result.stderr;
  const message = lastLines(words);
  if (noAccess.test(words)) {
    return { kind: 'noAccess', message: plainText(message) };
  }
  throw result.code === null || result.code === 255
    ? new CloneNotKnownError(message)
    : new CloneError(message);
}

/** Returns git's reason, or its last lines. */
function lastLines(output: string): string {
  const lines = output
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '' && !/^folder |^Cloning into|objects:|deltas:/.test(line));
  const reasons = lines.filter((line) => /^(?:fatal|error): /.test(line));
  return (reasons.length > 0 ? reasons : lines.slice(-3)).join(' ');
}
