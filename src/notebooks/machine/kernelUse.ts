import { HostKeyError } from '../../ssh/hostKey';
import type { SshService } from '../../ssh/service';
import { assembled } from '../../ssh/shellProgram';
import type { KernelUse } from '../model/kernelUse';
import kernelsPy from './kernels.py';
import kernels from './kernels.sh';

const greeting = 'gpu-rental kernels';
const script = assembled(`printf '%s\\n' '${greeting}'\n# include kernels.sh\nkernel_use\n`, {
  'kernels.sh': kernels,
  'kernels.py': kernelsPy,
});
/** A login, and a server that does not answer (ms). */
const timeoutMs = 45_000;

/**
 * Asks a machine what the kernels of our notebook server do, as its own timer does; never asks the user. A machine that
 * no login of ours has reached before is not asked.
 */
export async function readKernelUse(
  ssh: Pick<SshService, 'entry' | 'exec'>,
  alias: string,
  signal?: AbortSignal,
): Promise<KernelUse> {
  if (!(await ssh.entry(alias))) {
    return 'unknown';
  }
  try {
    const { stdout } = await ssh.exec(alias, script, { signal, timeoutMs, isLook: true });
    return kernelUseOf(stdout);
  } catch (error) {
    if (error instanceof HostKeyError) {
      return 'unknown';
    }
    throw error;
  }
}

/** Reads what the machine printed, of which only our last line counts. */
export function kernelUseOf(stdout: string): KernelUse {
  const lines = stdout.split(/\r?\n/).filter((line) => line !== '');
  const last = lines.includes(greeting) ? lines.at(-1) : undefined;
  if (last === 'busy' || last === 'idle') {
    return last;
  }
  return last !== undefined && /^silent \d+$/.test(last) ? 'silent' : 'unknown';
}
