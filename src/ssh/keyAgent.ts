import { ProgramMissingError, type Run } from './run';

/** What `ssh-add` ends with where it reaches no agent. */
const noAgent = 2;

/** The public lines of the keys that an agent holds; `undefined` where there is no agent or no `ssh-add`. */
export async function keysOfAgent(
  run: Run,
  socket: string | undefined,
  signal?: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const { code, stdout } = await run('ssh-add', ['-L'], { ...envOf(socket), signal, timeoutMs: 5_000 });
    return code === 0 ? stdout.split('\n').map((line) => line.trim()) : code === noAgent ? undefined : [];
  } catch (error) {
    if (error instanceof ProgramMissingError) {
      return undefined;
    }
    throw error;
  }
}

function envOf(socket: string | undefined): { readonly env?: Readonly<Record<string, string>> } {
  return socket === undefined ? {} : { env: { SSH_AUTH_SOCK: socket } };
}
