import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { quoteForShell } from './commandLine';
import { isMissing } from './fileSystem';
import type { SshService } from './service';

/** What lies below the files and folders that somebody chose. */
export interface FileTree {
  /** Below the folder that holds what was chosen, with forward slashes; parents come first. */
  readonly folders: readonly string[];
  /** Sizes in bytes; `local` is the path on this computer, where that is where they are. */
  readonly files: readonly { readonly name: string; readonly size: number; readonly local?: string }[];
}

/** Bytes by name. */
export function sizesOf({ files }: FileTree): ReadonlyMap<string, number> {
  return new Map(files.map(({ name, size }) => [name, size]));
}

/** What lies below some names in a folder of the machine. */
export async function remoteTree(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  folder: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FileTree> {
  const roots = names.map((name) => quoteForShell(`./${name}`)).join(' ');
  const find = `find ${roots} \\( -type d -o -type f \\) -exec stat -c '%s %F %n' {} +`;
  const { stdout } = await ssh.exec(alias, `cd ${quoteForShell(folder)} && ${find}`, {
    signal,
    timeoutMs: 120_000,
  });
  return parseTree(stdout);
}

/**
 * Reads `size kind ./name` lines. Names come from a stranger's machine: those that lead out of the
 * folder, or mean something else on this computer, are left out.
 */
export function parseTree(stdout: string): FileTree {
  const folders: string[] = [];
  const files: { name: string; size: number }[] = [];
  for (const line of stdout.split('\n')) {
    const match = /^(\d+) (directory|regular (?:empty )?file) \.\/(.+)$/.exec(line);
    const name = match?.[3] ?? '';
    if (
      !match ||
      /[\\\p{Cc}]/u.test(name) ||
      name.split('/').some((part) => ['', '.', '..'].includes(part))
    ) {
      continue;
    }
    if (match[2] === 'directory') {
      folders.push(name);
    } else {
      files.push({ name, size: Number(match[1]) });
    }
  }
  return { folders: folders.sort(), files };
}

/** Windows gives these to a device, to a second stream of a file, or to another file. */
const otherOnWindows = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)|[<>:"|?*]|[. ]$/i;

/** True for a name of the machine that stands for the same file here. */
export function canBeNamed(name: string, platform: NodeJS.Platform): boolean {
  return platform !== 'win32' || !name.split('/').some((part) => otherOnWindows.test(part));
}

/** Bytes of a file of this computer; `undefined` where there is none. */
export async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Files in all that was chosen; links and devices are left out. */
export async function localTree(locals: readonly string[]): Promise<FileTree> {
  const folders: string[] = [];
  const files: { name: string; size: number; local: string }[] = [];
  const visit = async (local: string, name: string): Promise<void> => {
    const facts = await stat(local);
    if (facts.isFile()) {
      files.push({ local, name, size: facts.size });
    } else if (facts.isDirectory()) {
      folders.push(name);
      const entries = await readdir(local, { withFileTypes: true });
      for (const entry of entries.filter((one) => one.isFile() || one.isDirectory())) {
        await visit(join(local, entry.name), `${name}/${entry.name}`);
      }
    }
  };
  for (const local of locals) {
    await visit(local, basename(local));
  }
  return { folders, files };
}
