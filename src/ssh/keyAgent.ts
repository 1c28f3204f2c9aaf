import { text, type Text } from '../util/text';
import { ProgramMissingError, type Run } from './run';

/** The agent that ssh asks for keys. */
export interface KeyAgent {
  readonly isRunning: boolean;
  /** Set if it differs from the agent of the environment. */
  readonly socket: string | undefined;
}

/** The exit code of `ssh-add` without an agent. */
const noAgent = 2;

/** Returns whether an agent runs. Throws `ProgramMissingError` without `ssh-add`, which adds keys. */
export async function isAgentRunning(run: Run, socket: string | undefined): Promise<boolean> {
  const { code } = await run('ssh-add', ['-l'], { ...envOf(socket), timeoutMs: 5_000 });
  return code !== noAgent;
}

/** Returns the public lines of the keys in an agent; none without an agent. */
export async function keysOfAgent(
  run: Run,
  socket: string | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { code, stdout } = await run('ssh-add', ['-L'], { ...envOf(socket), signal, timeoutMs: 5_000 });
    return code === 0 ? stdout.split('\n').map((line) => line.trim()) : [];
  } catch (error) {
    if (error instanceof ProgramMissingError) {
      return [];
    }
    throw error;
  }
}

function envOf(socket: string | undefined): { readonly env?: Readonly<Record<string, string>> } {
  return socket === undefined ? {} : { env: { SSH_AUTH_SOCK: socket } };
}

/** Returns the message that no agent runs, and how to start one on a platform. */
export function explainMissingAgent(platform: NodeJS.Platform): {
  readonly text: Text;
  readonly command: string;
} {
  if (platform === 'win32') {
    const command = 'Get-Service ssh-agent | Set-Service -StartupType Automatic -PassThru | Start-Service';
    return {
      command,
      text: text(
        'No SSH agent is running to keep the key unlocked. To start the Windows service OpenSSH Authentication Agent, run this in PowerShell as administrator, then retry: {0}',
        command,
      ),
    };
  }
  // Messages treat `$(` as an icon.
  const command = 'eval `ssh-agent -s`';
  return {
    command,
    text: text(
      'No SSH agent is running to keep the key unlocked. To start one, quit the editor, run {0} in a terminal, and start the editor from that terminal.',
      command,
    ),
  };
}
