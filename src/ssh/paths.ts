import { join, posix, win32 } from 'node:path';
import { UserError } from '../util/errors';
import { text } from '../util/text';

/** The facts of the machine and the editor that locate the SSH files. */
export interface SshEnvironment {
  readonly platform: NodeJS.Platform;
  /** The folder of `~` in an `Include`: `homeFolder`. */
  readonly home: string;
  /** The account's home, where `ssh` looks for its default config: `accountHome`. */
  readonly accountHome: string;
  /** The file that `remote.SSH.configFile` names, if the editor honors it. */
  readonly configFile: string | undefined;
  /** The SSH program that `remote.SSH.path` names. */
  readonly sshPath: string | undefined;
  /** Where an agent listens, by `SSH_AUTH_SOCK`. */
  readonly agentSocket: string | undefined;
  /** The user wants the service's shared tmux. */
  readonly keepsSharedTmux?: boolean;
}

export interface SshPaths {
  readonly ownDir: string;
  readonly knownHosts: string;
  readonly lock: string;
  /** The user's file, which contains our Include block. */
  readonly userConfig: string;
  /** The argument of `ssh -F`; `undefined` if ssh finds the file by default. */
  readonly passedConfig: string | undefined;
  /** The argument of `Include`. */
  readonly includePattern: string;
}

/** Returns the folder of our SSH files, of all editors of the user. */
export function ownFolder({ home, platform }: Pick<SshEnvironment, 'home' | 'platform'>): string {
  return (platform === 'win32' ? win32 : posix).join(home, '.ssh', 'gpu-rental.d');
}

export function sshPaths(env: Omit<SshEnvironment, 'agentSocket'>): SshPaths {
  const path = env.platform === 'win32' ? win32 : posix;
  const ownDir = ownFolder(env);
  const named = env.configFile?.trim();
  const passedConfig = named === undefined || named === '' ? undefined : expandHome(named, env, path);
  // Every ssh understands `~`, on Windows and MSYS too. If the two homes differ, ssh and the editor may disagree
  // about `~`, so an absolute path is needed.
  const short = env.home === env.accountHome;
  return {
    ownDir,
    knownHosts: path.join(ownDir, 'known_hosts'),
    lock: path.join(ownDir, '.lock'),
    userConfig: passedConfig ?? path.join(env.accountHome, '.ssh', 'config'),
    passedConfig,
    includePattern: short ? '~/.ssh/gpu-rental.d/*.conf' : globPath(ownDir, '*.conf', path),
  };
}

export function confFile(paths: SshPaths, alias: string): string {
  return join(paths.ownDir, `${alias}.conf`);
}

/** Returns the file with the public part of a key that only an agent holds. */
export function agentKeyFile(paths: SshPaths, alias: string): string {
  return join(paths.ownDir, `${alias}.pub`);
}

function expandHome(file: string, env: Omit<SshEnvironment, 'agentSocket'>, path: typeof posix): string {
  if (file === '~' || file.startsWith('~/') || file.startsWith('~\\')) {
    return path.join(env.home, file.slice(1));
  }
  return path.resolve(file);
}

/** A local path that an SSH config can't express. */
export class UnusablePathError extends UserError {
  constructor(file: string) {
    super(
      text(
        "The path {0} has characters that an SSH config can't hold. Use a folder or a file with a plainer name.",
        JSON.stringify(file),
      ),
    );
  }
}

/**
 * Returns a path as an argument in an SSH config: forward slashes, quoted if it contains spaces. Throws
 * `UnusablePathError` for paths that OpenSSH would read differently.
 */
export function configPath(file: string): string {
  const forward = /^(?:[A-Za-z]:)?\\/.test(file) ? file.replaceAll('\\', '/') : file;

  if (/["\\\u0000-\u001f\u007f]/.test(forward) || forward.includes('${')) {
    throw new UnusablePathError(file);
  }
  return /[\s#']/.test(forward) ? `"${forward}"` : forward;
}

/** Returns a path for options that expand percent tokens (`IdentityFile`, `UserKnownHostsFile`). */
export function tokenPath(file: string): string {
  return configPath(file.replaceAll('%', '%%'));
}

/** Returns the form in which paths are compared: in a config and in the trace of ssh, Windows paths have either slash. */
export function forwardSlashes(file: string): string {
  return file.replaceAll('\\', '/');
}

function globPath(dir: string, pattern: string, path: typeof posix): string {
  if (/[*?[\]{}]/.test(dir)) {
    throw new UnusablePathError(dir);
  }
  return configPath(path.join(dir, pattern));
}
