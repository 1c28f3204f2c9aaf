import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TerminalOptions } from 'vscode';
import { aliasInArguments } from '../../../src/ssh/alias';
import { runProgram } from '../../../src/ssh/run';
import type { Computer } from './computer';

/** A key in the `.ssh` folder of the computer; its public line. */
export function makeKey(computer: Computer, name: string): string {
  const file = path.join(path.dirname(computer.sshConfig), name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  return readFileSync(`${file}.pub`, 'utf8').trim();
}

/** Makes a key and registers it with the account. */
export async function registerKey(computer: Computer, name = 'id_ed25519'): Promise<string> {
  const ssh_key = makeKey(computer, name);
  await computer.simulator.call('POST', '/api/v0/ssh/', { ssh_key });
  return ssh_key;
}

/** An instance that runs and lets a key of this computer in; its id. */
export async function reachableInstance(computer: Computer, label: string): Promise<number> {
  await registerKey(computer);
  return computer.rentRunning({ label, runtype: 'ssh_direct' });
}

/** An extension that opens SSH windows, as far as its manifest says so. */
export function remoteSshExtension(id = 'ms-vscode-remote.remote-ssh', section = 'remote.SSH') {
  return {
    id,
    packageJSON: {
      displayName: `Stand-In for ${id}`,
      activationEvents: ['onResolveRemoteAuthority:ssh-remote'],
      contributes: {
        configuration: {
          properties: {
            [`${section}.configFile`]: { type: 'string', default: '' },
            [`${section}.remotePlatform`]: { type: 'object', default: {} },
          },
        },
      },
    },
  };
}

/** What the program of a terminal prints where it is given a command in place of what keeps it running. */
export async function textsIn(options: TerminalOptions, command: string): Promise<string> {
  const { shellPath = '', shellArgs = [] } = options;
  const args = [shellArgs].flat();
  const at = args.indexOf(aliasInArguments(args) ?? '');
  const { stdout } = await runProgram(shellPath, [...args.slice(0, at + 1), command]);
  return stdout;
}
