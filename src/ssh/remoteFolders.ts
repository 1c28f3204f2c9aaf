import type { SshService } from './service';

/** The folders that a machine suggests for a start. */
export interface RemoteFolders {
  readonly home: string;
  readonly folders: readonly string[];
}

const listScript = [
  'printf "%s\\n" "$HOME"',
  'for dir in /workspace /data /mnt; do [ -d "$dir" ] && printf "%s\\n" "$dir"; done',
  'find "$HOME" /workspace -mindepth 1 -maxdepth 1 -type d ! -name ".*" 2>/dev/null | sort | head -n 200',
].join('; ');

/**
 * Returns true for an absolute path that is safe in a link: no control characters, no marks that change the reading
 * direction.
 */
export function isRemotePath(value: unknown): value is string {
  return typeof value === 'string' && /^\/[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{0,1000}$/u.test(value);
}

/** Parses the output of the script; other lines are left out. */
export function parseFolders(stdout: string): RemoteFolders {
  const lines = stdout.split(/\r?\n/).filter(isRemotePath);
  const home = lines[0] ?? '/root';
  return { home, folders: [...new Set(lines)].filter((line) => line !== home) };
}

/** Asks a machine that lets us in; an empty answer means the home folder of root. */
export async function readFolders(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  signal?: AbortSignal,
): Promise<RemoteFolders> {
  const { stdout } = await ssh.exec(alias, listScript, { signal, timeoutMs: 15_000, isLook: true });
  return parseFolders(stdout);
}
