import { createHash } from 'node:crypto';
import { quoteForShell } from '../../ssh/commandLine';

/** A kernel that starts in the copy of a local folder on a machine, as a directory entry of Jupyter's kernels. */
export interface KernelOfFolder {
  readonly name: string;
  /** The content of `kernel.json`. */
  readonly spec: object;
}

/** The name of the kernels of a local folder: the same on each machine, so that a notebook finds it after a move. */
export function kernelNameOf(localFolder: string): string {
  return `gpu-rental-${createHash('sha256').update(localFolder).digest('hex').slice(0, 16)}`;
}

/**
 * Returns the kernel that starts in a folder of the machine. Its Python is that of the server, which is its parent and
 * has ipykernel. The program itself stays what the server started, so that an interrupt arrives.
 */
export function kernelOfFolder(localFolder: string, remoteFolder: string, title: string): KernelOfFolder {
  // Jupyter replaces names in braces within arguments, so that no brace stands before a name.
  const folder = quoteForShell(remoteFolder).replaceAll('{', "{''");
  const server = `"$(tr '\\0' '\\n' <"/proc/$PPID/cmdline" | head -n 1)"`;
  const script = `mkdir -p ${folder} && cd ${folder} && exec ${server} -m ipykernel_launcher -f "$1"`;
  return {
    name: kernelNameOf(localFolder),
    spec: {
      argv: ['/bin/sh', '-c', script, 'sh', '{connection_file}'],
      display_name: title,
      language: 'python',
      metadata: { debugger: true },
    },
  };
}
