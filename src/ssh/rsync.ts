import { basename, join, posix } from 'node:path';
import { stat } from 'node:fs/promises';
import { quoteForShell } from './commandLine';
import { isRemotePath } from './remoteFolders';
import { ProgramMissingError, type Run, type RunResult } from './run';
import type { SshService } from './service';
import {
  download,
  TransferError,
  upload,
  type TransferDeps,
  type TransferOptions,
  type TransferProgress,
} from './transfer';

export interface RsyncDeps extends TransferDeps {
  readonly run: Run;
  readonly ssh: Pick<SshService, 'exec' | 'sftpCommand' | 'command'>;
}

/** The other side does not speak rsync after all: its start-up files print something, or it is too old. */
const protocolCodes: readonly (number | null)[] = [2, 12, 127];

/** Folders by rsync where both sides have it, everything else by sftp. */
export async function uploadBest(
  deps: RsyncDeps,
  alias: string,
  locals: readonly string[],
  remoteFolder: string,
  options: TransferOptions,
): Promise<void> {
  const target = `${remoteFolder.replace(/\/+$/, '')}/`;
  const facts = await Promise.all(locals.map((local) => stat(local)));
  const isWanted = facts.some((one) => one.isDirectory()) && locals.every(isPlain) && isRemotePath(target);
  if (!isWanted || !(await canRsync(deps, alias, ':', options.signal))) {
    return upload(deps, alias, locals, remoteFolder, options);
  }
  // A slash at the end would mean what is in the folder, not the folder.
  const sources = locals.map((local) => local.replace(/\/+$/, ''));
  const isDone = await rsync(deps, alias, ['--executability'], [...sources, `${alias}:${target}`], options);
  return isDone ? undefined : upload(deps, alias, locals, remoteFolder, options);
}

/** The same for what is on the machine. */
export async function downloadBest(
  deps: RsyncDeps,
  alias: string,
  remote: string,
  localFolder: string,
  options: TransferOptions,
): Promise<void> {
  const name = posix.basename(remote);
  const path = remote.replace(/\/+$/, '');
  const isWanted = isPlain(localFolder) && isRemotePath(path) && isPlain(join(localFolder, name));
  if (!isWanted || !(await canRsync(deps, alias, `[ -d ${quoteForShell(path)} ]`, options.signal))) {
    return download(deps, alias, remote, localFolder, options);
  }
  const isDone = await rsync(
    deps,
    alias,
    // A program of a rented machine is not made to run here by its mere name.
    ['--chmod=F-x'],
    [`${alias}:${path}`, `${localFolder.replace(/\/+$/, '')}/`],
    options,
  );
  return isDone ? undefined : download(deps, alias, remote, localFolder, options);
}

/** An absolute path that cannot be taken for a host or an option, nor for two lines. */
function isPlain(path: string): boolean {
  return path.startsWith('/') && !/\p{Cc}/u.test(path) && basename(path) !== '';
}

async function canRsync(
  { run, ssh, platform }: RsyncDeps,
  alias: string,
  condition: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // On Windows it comes with shells that have paths of their own.
  if (platform === 'win32' || !(await isSafeHere(run))) {
    return false;
  }
  const { code } = await ssh.exec(alias, `command -v rsync >/dev/null 2>&1 && ${condition}`, {
    signal,
    timeoutMs: 20_000,
  });
  return code === 0;
}

/**
 * Version 3.4 or later. Before it the other side, here a stranger's machine, could read files of this computer and
 * write outside of the folder (CVE-2024-12086, CVE-2024-12087).
 */
async function isSafeHere(run: Run): Promise<boolean> {
  try {
    const { stdout } = await run('rsync', ['--version'], { timeoutMs: 5000 });
    const version = /^rsync\s+version v?(\d+)\.(\d+)/.exec(stdout);
    const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
    return major > 3 || (major === 3 && minor >= 4);
  } catch (error) {
    if (error instanceof ProgramMissingError) {
      return false;
    }
    throw error;
  }
}

/** False where the two do not understand each other and nothing was moved. */
async function rsync(
  deps: RsyncDeps,
  alias: string,
  rights: readonly string[],
  paths: readonly string[],
  { signal, onProgress }: TransferOptions,
): Promise<boolean> {
  const command = deps.ssh.command(alias).slice(0, -1);
  const quiet = ['-o', 'BatchMode=yes', '-o', 'ClearAllForwardings=yes', '-o', 'RemoteCommand=none', '-T'];
  let last: TransferProgress | undefined;
  let rest = '';
  const result = await deps.run(
    'rsync',
    [
      // Links, devices, owners and rights of a stranger's machine mean nothing on the other side.
      ...['--recursive', '--times', ...rights, '--partial', '--no-inc-recursive'],
      ...['--protect-args', '--no-human-readable', '--info=progress2', '--outbuf=N'],
      `--rsh=${[...command, ...quiet].map(quoteForRsh).join(' ')}`,
      '--',
      ...paths,
    ],
    {
      signal,
      onStdout: (piece) => {
        const lines = (rest + piece).split(/[\r\n]+/);
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const progress = parseProgress(line, last);
          if (progress) {
            last = progress;
            onProgress?.(progress);
          }
        }
      },
    },
  );
  if (result.code === 0) {
    return true;
  }
  if (!last && protocolCodes.includes(result.code)) {
    return false;
  }
  throw new TransferError(reasonOf(result));
}

/** rsync splits the command itself: blanks part, quotes keep together, a doubled quote is one. */
function quoteForRsh(argument: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(argument) ? argument : `"${argument.replaceAll('"', '""')}"`;
}

/**
 * `  1238099  45%  146.38kB/s    0:00:08 (xfr#5, to-chk=169/396)`, the last part where a file has just ended. Until
 * the first one has, `totalFiles` is 0.
 */
export function parseProgress(line: string, before?: TransferProgress): TransferProgress | undefined {
  const match = /^\s*(\d+)\s+(\d{1,3})%\s.*?(?:\(xfr#(\d+), to-chk=(\d+)\/(\d+)\))?\s*$/.exec(line);
  if (!match) {
    return undefined;
  }
  const bytes = Number(match[1]);
  const percent = Math.min(100, Number(match[2]));
  return {
    bytes,
    totalBytes: percent === 0 ? bytes : Math.round((bytes * 100) / percent),
    ...(match[3] === undefined
      ? { file: before?.file ?? 1, totalFiles: before?.totalFiles ?? 0 }
      : { file: Number(match[5]) - Number(match[4]), totalFiles: Number(match[5]) }),
  };
}

function reasonOf({ stderr }: RunResult): string {
  const said = stderr.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^rsync error: /.test(line));
  return said.slice(-2).join(' ');
}
