import { text, type Text } from '../util/text';
import { ProgramMissingError, type Run } from './run';

/** The agent that ssh asks for keys: that of the environment (`SSH_AUTH_SOCK`), the one at a socket, or none. */
export type AskedAgent = 'environment' | 'none' | { readonly socket: string };

export interface KeyAgent {
  readonly isRunning: boolean;
  readonly asked: AskedAgent;
}

/** The exit code of `ssh-add` without an agent. */
const noAgent = 2;

/** Returns whether the agent runs. Throws `ProgramMissingError` without `ssh-add`, which adds keys. */
export async function isAgentRunning(run: Run, asked: AskedAgent): Promise<boolean> {
  if (asked === 'none') {
    return false;
  }
  const { code } = await run('ssh-add', ['-l'], { ...agentEnv(asked), timeoutMs: 5_000 });
  return code !== noAgent;
}

/** Returns the public lines of the keys in an agent; none without an agent. */
export async function keysOfAgent(
  run: Run,
  asked: AskedAgent,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (asked === 'none') {
    return [];
  }
  try {
    const { code, stdout } = await run('ssh-add', ['-L'], { ...agentEnv(asked), signal, timeoutMs: 5_000 });
    return code === 0 ? stdout.split('\n').map((line) => line.trim()) : [];
  } catch (error) {
    if (error instanceof ProgramMissingError) {
      return [];
    }
    throw error;
  }
}

/** Returns the option with which `ssh-add` reaches the agent. */
export function agentEnv(asked: AskedAgent): { readonly env?: Readonly<Record<string, string>> } {
  return typeof asked === 'string' ? {} : { env: { SSH_AUTH_SOCK: asked.socket } };
}

/** Returns the message that the agent does not run, and the command that starts it on a platform, if there is one. */
export function explainMissingAgent(
  platform: NodeJS.Platform,
  asked: AskedAgent,
): { readonly text: Text; readonly command?: string } {
  if (asked === 'none') {
    return {
      text: text(
        'ssh uses no SSH agent because of IdentityAgent in your SSH config. Change that line and retry, or open a terminal, which asks for the passphrase.',
      ),
    };
  }
  if (asked !== 'environment') {
    return {
      text: text(
        'The SSH agent that your SSH config names is not running: {0}. Start it and retry, or open a terminal, which asks for the passphrase.',
        asked.socket,
      ),
    };
  }
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
