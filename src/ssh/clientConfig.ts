import { isAbsolute } from 'node:path';
import { userId, userName } from '../util/thisUser';
import { filesRead } from './effectiveConfig';
import type { FileSystem } from './fileSystem';
import type { AskedAgent } from './keyAgent';
import { forwardSlashes } from './paths';
import { ProgramMissingError, type RunResult } from './run';

/** What the user's SSH config specifies about keys. */
export interface ClientConfig {
  /** By `IdentityAgent` for a host without its own settings. */
  readonly agent: AskedAgent;
  /** Every `IdentityFile`, for any host: only a registered key is ever used. */
  readonly identityFiles: readonly string[];
}

export interface ClientConfigDeps {
  readonly fs: Pick<FileSystem, 'read'>;
  /** Returns the output of `ssh -G` for a host. */
  readonly ask: (alias: string, signal?: AbortSignal) => Promise<RunResult>;
  /** The folder that ssh resolves `~` to. */
  readonly accountHome: string;
  /** Our folder, whose files are not the user's. */
  readonly ownDir: string;
}

/** Lets ssh read its own config, so that ssh itself resolves the included files. */
export async function readClientConfig(deps: ClientConfigDeps, signal?: AbortSignal): Promise<ClientConfig> {
  const answer = await deps.ask('gpu-0', signal).catch((error: unknown) => {
    if (error instanceof ProgramMissingError) {
      return undefined;
    }
    throw error;
  });
  const stdout = answer?.code === 0 ? answer.stdout : '';
  const agent = /^identityagent (.+)$/m.exec(stdout)?.[1]?.trim() ?? 'SSH_AUTH_SOCK';
  const files = answer ? filesRead(answer) : [];
  const isOwn = (file: string) => forwardSlashes(file).includes(forwardSlashes(deps.ownDir));
  const found = new Set<string>();
  for (const file of files) {
    for (const value of isOwn(file) ? [] : await identityFilesIn(deps, file)) {
      const path = expand(value, deps.accountHome);
      if (path !== undefined && isAbsolute(path)) {
        found.add(path);
      }
    }
  }
  return { agent: askedAgent(agent, deps.accountHome), identityFiles: [...found] };
}

/** Reads `IdentityAgent` like ssh, which asks no agent if the variable that it names is not set. */
function askedAgent(value: string, home: string): AskedAgent {
  if (/^\$?SSH_AUTH_SOCK$/.test(value)) {
    return 'environment';
  }
  const variable = /^\$(\w+)$/.exec(value)?.[1];
  const socket = variable === undefined ? expand(value, home) : process.env[variable];
  return socket === undefined || socket === '' ? 'none' : { socket };
}

async function identityFilesIn({ fs }: ClientConfigDeps, file: string): Promise<readonly string[]> {
  try {
    const text = (await fs.read(file)).toString('utf8');
    return text.split(/\r?\n/).flatMap((line) => {
      const rest = /^\s*["']?IdentityFile["']?(?:\s*=\s*|\s+)(.+)$/i.exec(line)?.[1];
      return rest === undefined ? [] : [firstArgument(rest)];
    });
  } catch {
    // ssh could read the file and we can't: the other files may still name a key.
    return [];
  }
}

/** Splits a line like ssh: quotes keep spaces, a backslash escapes a quote. */
function firstArgument(rest: string): string {
  const quoted = /^(["'])((?:\\["'\\]|(?!\1).)*)\1/.exec(rest);
  const value = quoted?.[2] ?? /^\S*/.exec(rest)?.[0] ?? '';
  return value.replace(/\\(["'\\])/g, '$1');
}

/** Returns `undefined` for `none` and for a name that depends on the host. */
function expand(value: string, home: string): string | undefined {
  const known: Readonly<Record<string, string | undefined>> = {
    '%%': '%',
    '%d': home,
    '%i': String(userId()),
    '%u': userName(),
  };
  let isKnown = value !== 'none' && value !== '';
  const expanded = value
    .replace(/^~(?=[/\\]|$)/, () => home)
    .replace(/\$\{(\w+)\}|%./g, (token, name: string | undefined) => {
      const found = name === undefined ? known[token] : process.env[name];
      isKnown &&= found !== undefined;
      return found ?? '';
    });
  return isKnown ? expanded : undefined;
}
