import type { ScriptNeeds } from '../model/workspace/scriptNeeds';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import { byLoginShell, quoteForShell } from './commandLine';
import { plainText } from './plainText';
import type { RunOptions } from './run';
import type { SshService } from './service';

/** Where the installer of uv puts it; a start-up file adds it to the path only for later logins. */
const inHome = '"$HOME/.local/bin/uv"';

/**
 * Returns what sets the environment of uv. Images of the service turn off its cache and its links, so that each run would
 * download its packages again. uv keeps the environments of scripts in its cache, hence on one file system with its
 * packages. PyTorch is the build for the driver of the machine, unless the file names a source.
 */
export function uvEnvironment({ choosesTorch }: Pick<ScriptNeeds, 'choosesTorch'>): string {
  const torch = choosesTorch ? '' : ' UV_TORCH_BACKEND="${UV_TORCH_BACKEND:-auto}"';
  return `unset UV_NO_CACHE; export PATH="$PATH:$HOME/.local/bin" PYTHONUNBUFFERED=1 UV_CACHE_DIR="\${WORKSPACE:-$HOME}/.cache/uv" UV_LINK_MODE=hardlink${torch}`;
}

/** Returns the command for a file that carries its needs. */
export function byUv(needs: Pick<ScriptNeeds, 'choosesTorch'>): string {
  return `${uvEnvironment(needs)}; uv run --script`;
}

/** Installs uv where it is missing, as a user of `pip` or as its makers describe (docs.astral.sh/uv/getting-started/installation). */
export const uvSetup = [
  `command -v uv || [ -x ${inHome} ] || python3 -m pip install uv || { curl -LsSf https://astral.sh/uv/install.sh || wget -qO- https://astral.sh/uv/install.sh; } | sh`,
  `command -v uv || [ -x ${inHome} ]`,
].join('\n');

/** What of the needs of a script is on a machine. */
export interface FoundForScript {
  readonly hasUv: boolean;
  /** Packages that the Python of the image lacks; `undefined` where there is no such Python. */
  readonly missing: readonly string[] | undefined;
}

type Exec = Pick<SshService, 'exec'>;
type Signal = RunOptions['signal'];

const timeoutMs = 60_000;
const installMs = 300_000;

const lookForPackages = `import sys
from importlib.metadata import distribution
for name in sys.argv[1:]:
    try:
        distribution(name)
    except Exception:
        print("missing", name)
print("python")`;

/** Looks for uv and, in the Python that runs files, for packages; throws without a whole answer. */
export async function findForScript(
  ssh: Exec,
  alias: string,
  packages: readonly string[],
  signal?: Signal,
): Promise<FoundForScript> {
  const look = [
    'echo "gpu-rental script"',
    `if command -v uv >/dev/null 2>&1 || [ -x ${inHome} ]; then echo uv; fi`,
    `python3 -c ${quoteForShell(lookForPackages)} ${packages.map(quoteForShell).join(' ')} 2>/dev/null`,
    'echo end',
  ].join('; ');
  const result = await ssh.exec(alias, byLoginShell(look), { timeoutMs, signal, isLook: true });
  const lines = result.stdout.split(/\r?\n/);
  const start = lines.indexOf('gpu-rental script');
  const end = lines.indexOf('end', start);
  if (start < 0 || end < 0) {
    throw new UserError(
      text(
        'Could not reach the instance: {0}',
        result.timedOut ? 'time-out' : plainText(result.stderr) || '–',
      ),
      { nextStep: 'retry' },
    );
  }
  const own = lines.slice(start + 1, end);
  return {
    hasUv: own.includes('uv'),
    missing: own.includes('python') ? packages.filter((name) => own.includes(`missing ${name}`)) : undefined,
  };
}

/** Installs uv, which the user agreed to. */
export async function installUv(ssh: Exec, alias: string, signal?: Signal): Promise<void> {
  const script = byLoginShell(`{ ${uvSetup.replace('\n', '; ')}; } </dev/null >&2`);
  const { code, stderr } = await ssh.exec(alias, script, { timeoutMs: installMs, signal, keepsEnd: true });
  if (code !== 0) {
    const last = plainText(stderr.trimEnd().split('\n').at(-1) ?? '');
    throw new UserError(text('Could not install {0}: {1}', 'uv', last === '' ? '–' : last), {
      nextStep: 'retry',
    });
  }
}
