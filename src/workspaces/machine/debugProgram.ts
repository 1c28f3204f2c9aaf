import { randomInt } from 'node:crypto';
import type { ScriptNeeds } from '../../model/workspace/scriptNeeds';
import { quoteForShell } from '../../ssh/commandLine';
import { freeLocalPort } from '../../ssh/forward';
import { isRemotePath } from '../../ssh/remoteFolders';
import type { SshService } from '../../ssh/service';
import { uvEnvironment } from '../../ssh/uv';
import script from './debug.sh';
import { startHeld, type HeldProgram } from './heldProgram';

/** A Python file of a machine that is to be debugged. */
export interface DebuggedFile {
  /** The folder that is mirrored, absolute there. */
  readonly root: string;
  /** Below the folder, with forward slashes. */
  readonly file: string;
  readonly args: readonly string[];
  /** Packages that uv installs for it. */
  readonly needs?: ScriptNeeds | undefined;
}

export type DebugAnswer =
  | { readonly kind: 'noFile' | 'noUv' | 'noPython' | 'missing' | 'taken' }
  /** It waits for the editor; `root` is the real path of the folder, by which the program names its files. */
  | { readonly kind: 'waits'; readonly root: string };

/** From here on, Linux gives ports to connections, of which none can be listened at (Documentation/networking/ip-sysctl). */
const ephemeralPort = 32_768;
const lowestPort = 20_000;

const startMs = 60_000;
/** uv downloads packages first. */
const installMs = 30 * 60_000;

/** A file under debugpy, behind a port of this computer. */
export interface Debugged extends HeldProgram<DebugAnswer> {
  readonly localPort: number;
  /** Resolves once the port no longer leads there. */
  readonly cut: Promise<void>;
}

/**
 * Starts a file under debugpy, which waits for the editor and ends with the result. The port is forwarded first, because a
 * forward is tried with a connection, and debugpy may take that for its editor.
 */
export async function startDebugged(
  ssh: Pick<SshService, 'exec' | 'forward'>,
  alias: string,
  { root, file, args, needs }: DebuggedFile,
  signal?: AbortSignal,
): Promise<Debugged> {
  const port = randomInt(lowestPort, ephemeralPort);
  const forward = await ssh.forward(
    alias,
    { remotePort: port, localPort: await freeLocalPort(0), noticesLossSoon: true },
    signal,
  );
  try {
    const words = args.map(quoteForShell).join(' ');
    const uv = needs ? 'yes' : '';
    const variables = { root, file, words, uv, python: needs?.python ?? '', port: String(port) };
    const environment = needs ? `${uvEnvironment(needs)}\n` : '';
    const wanted = { script: environment + script, variables, read: debugAnswer };
    const limit = { startMs: needs ? installMs : startMs };
    const program = await startHeld(ssh, alias, { ...wanted, ...limit }, signal);
    const close = () => {
      program.close();
      forward.close();
    };
    void program.ended.then(close);
    return {
      said: program.said,
      ended: program.ended,
      localPort: forward.localPort,
      cut: forward.ended,
      close,
    };
  } catch (error) {
    forward.close();
    throw error;
  }
}

const answers = {
  'no-file': 'noFile',
  'no-uv': 'noUv',
  'no-python': 'noPython',
  missing: 'missing',
  taken: 'taken',
} as const;

/** Of the text of the machine, only a path is used. */
export function debugAnswer(output: string): DebugAnswer | undefined {
  const [, word] = /^(no-file|no-uv|no-python|missing|taken)\n/.exec(output) ?? [];
  if (word !== undefined) {
    return { kind: answers[word as keyof typeof answers] };
  }
  const root = /^waits (\/.*)\n/m.exec(output)?.[1];
  return isRemotePath(root) ? { kind: 'waits', root } : undefined;
}
