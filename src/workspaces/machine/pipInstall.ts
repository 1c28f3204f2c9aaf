import { byLoginShell, quoteForShell } from '../../ssh/commandLine';
import { plainText } from '../../ssh/plainText';
import type { SshService } from '../../ssh/service';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** Installs a package for the Python that runs files, which the user agreed to. */
export async function pipInstall(
  ssh: Pick<SshService, 'exec'>,
  alias: string,
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  const script = byLoginShell(`python3 -m pip install ${quoteForShell(name)} </dev/null >&2`);
  const { code, stderr } = await ssh.exec(alias, script, { timeoutMs: 600_000, signal, keepsEnd: true });
  if (code !== 0) {
    const last = plainText(stderr.trimEnd().split('\n').at(-1) ?? '');
    throw new UserError(text('Could not install {0}: {1}', name, last === '' ? '–' : last), {
      nextStep: 'retry',
    });
  }
}
