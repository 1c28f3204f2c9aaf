import { isAbsolute } from 'node:path';
import { userInfo } from 'node:os';
import type { FileSystem } from './fileSystem';
import { filesRead } from './effectiveConfig';
import { ProgramMissingError, type RunResult } from './run';

/** What the SSH config of the user says about keys. */
export interface ClientConfig {
  /** The socket of `IdentityAgent`, for a host that nothing else is said of. */
  readonly agent: string | undefined;
  /** Every `IdentityFile`, whatever host it is for: only a key that is registered is ever used. */
  readonly identityFiles: readonly string[];
}

export interface ClientConfigDeps {
  readonly fs: Pick<FileSystem, 'read'>;
  /** What `ssh -G` says of a host. */
  readonly ask: (alias: string, signal?: AbortSignal) => Promise<RunResult>;
  /** Where `~` leads for ssh. */
  readonly accountHome: string;
  /** Our folder; what we wrote there is not the user's. */
  readonly ownDir: string;
}

/** Lets ssh itself read its config, so that it is ssh that finds the files which are included. */
export async function readClientConfig(deps: ClientConfigDeps, signal?: AbortSignal): Promise<ClientConfig> {
  const answer = await deps.ask('gpu-0', signal).catch((error: unknown) => {
    if (error instanceof ProgramMissingError) {
      return undefined;
    }
    throw error;
  });
  const stdout = answer?.code === 0 ? answer.stdout : '';
  const agent = /^identityagent (.+)$/m.exec(stdout)?.[1]?.trim();
  const files = answer ? filesRead(answer) : [];
  const found = new Set<string>();
  for (const file of files) {
    for (const value of file.includes(deps.ownDir) ? [] : await identityFilesIn(deps, file)) {
      const path = expand(value, deps.accountHome);
      if (path !== undefined && isAbsolute(path)) {
        found.add(path);
      }
    }
  }
  return {
    agent: agent === undefined || /^(?:none|SSH_AUTH_SOCK)$/.test(agent) ? undefined : socketOf(deps, agent),
    identityFiles: [...found],
  };
}

function socketOf({ accountHome }: ClientConfigDeps, value: string): string | undefined {
  return value.startsWith('$') ? undefined : expand(value, accountHome);
}

async function identityFilesIn({ fs }: ClientConfigDeps, file: string): Promise<readonly string[]> {
  try {
    const text = (await fs.read(file)).toString('utf8');
    return text.split(/\r?\n/).flatMap((line) => {
      const rest = /^\s*["']?IdentityFile["']?(?:\s*=\s*|\s+)(.+)$/i.exec(line)?.[1];
      return rest === undefined ? [] : [firstArgument(rest)];
    });
  } catch {
    // ssh could read it and we cannot: the other files may still name a key.
    return [];
  }
}

/** As ssh splits a line: quotes hold spaces together, a backslash takes a quote as it is. */
function firstArgument(rest: string): string {
  const quoted = /^(["'])((?:\\["'\\]|(?!\1).)*)\1/.exec(rest);
  const value = quoted?.[2] ?? /^\S*/.exec(rest)?.[0] ?? '';
  return value.replace(/\\(["'\\])/g, '$1');
}

/** `undefined` for a name that depends on the host, and for `none`. */
function expand(value: string, home: string): string | undefined {
  const known: Readonly<Record<string, string>> = { '%%': '%', '%d': home, '%u': userInfo().username };
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
