import type { Endpoint } from './endpoints';
import { tokenPath } from './paths';
import { checkAlias, checkHost, checkPort } from './validate';

/** What the file of one instance says. */
export interface HostEntry {
  readonly alias: string;
  readonly endpoint: Endpoint;
  /** Private key file, or a `.pub` file whose private part an agent or a security key holds. */
  readonly identityFile: string | undefined;
  readonly forwardAgent: boolean;
  /** Who it belongs to, as `accountMark` makes it. */
  readonly account: string;
  /** A login at this address worked, and not only at one before it. */
  readonly isProved?: boolean;
}

const header = '# Written by GPU Rental and overwritten by it.';

/**
 * Returns the instance's own file (docs/ssh.md#options-of-a-host). Every value is checked, none is escaped. Until a
 * login has proved its host key, ssh asks before it takes one, and refuses where it can't ask.
 */
export function renderHost(entry: HostEntry, knownHosts: string, isPinned: boolean): string {
  const alias = checkAlias(entry.alias);
  if (!/^[0-9a-f]{16}$/.test(entry.account)) {
    throw new Error('An account mark is 16 hexadecimal digits');
  }
  return [
    header,
    `# account ${entry.account} endpoint ${entry.endpoint.kind}${entry.isProved === true ? ' proved' : ''}`,
    `Host ${alias}`,
    `  HostName ${checkHost(entry.endpoint.host)}`,
    `  Port ${checkPort(entry.endpoint.port)}`,
    '  User root',
    `  HostKeyAlias ${alias}`,
    `  UserKnownHostsFile ${tokenPath(knownHosts)}`,
    '  GlobalKnownHostsFile none',
    `  StrictHostKeyChecking ${isPinned ? 'yes' : 'ask'}`,
    '  HashKnownHosts no',
    '  CheckHostIP no',
    '  UpdateHostKeys no',
    ...(entry.identityFile === undefined
      ? []
      : [`  IdentityFile ${tokenPath(entry.identityFile)}`, '  IdentitiesOnly yes']),
    `  ForwardAgent ${entry.forwardAgent ? 'yes' : 'no'}`,
    // A `Host *` of the user may hand out the screen and the keyboard, to any machine.
    '  ForwardX11 no',
    '  ForwardX11Trusted no',
    // Takes back what lines above the Include send; `verifyHost` names those below it.
    '  SendEnv -*',
    '  ConnectTimeout 20',
    '  ServerAliveInterval 15',
    '  ServerAliveCountMax 3',
    '',
  ].join('\n');
}

/** Reads back what `renderHost` wrote; `undefined` for anything else. */
export function parseHost(alias: string, content: string): HostEntry | undefined {
  const lines = content.split('\n');
  const meta = /^# account ([0-9a-f]{16}) endpoint (direct|proxy)( proved)?$/.exec(lines[1] ?? '');
  const value = (name: string) => {
    const line = lines.find((candidate) => candidate.startsWith(`  ${name} `));
    return line?.slice(name.length + 3);
  };
  if (lines[0] !== header || !meta || lines[2] !== `Host ${alias}`) {
    return undefined;
  }
  const identity = value('IdentityFile');
  try {
    return {
      alias: checkAlias(alias),
      endpoint: {
        kind: meta[2] === 'direct' ? 'direct' : 'proxy',
        host: checkHost(value('HostName')),
        port: checkPort(Number(value('Port'))),
      },
      identityFile: identity?.replace(/^"(.*)"$/, '$1').replaceAll('%%', '%'),
      forwardAgent: value('ForwardAgent') === 'yes',
      account: meta[1] ?? '',
      ...(meta[3] === undefined ? {} : { isProved: true }),
    };
  } catch {
    // Somebody edited it: it is written anew at the next connect.
    return undefined;
  }
}
