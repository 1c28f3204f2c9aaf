import type { Endpoint } from './endpoints';
import type { KeyMeasures } from './inherited';
import { tokenPath } from './paths';
import { checkAlias, checkHost, checkPort, checkWorkspaceHost } from './validate';

/** The content of an instance's file. */
export interface HostEntry extends KeyMeasures {
  readonly alias: string;
  readonly endpoint: Endpoint;
  /** A private key file, or a `.pub` file whose private part an agent or a security key holds. */
  readonly identityFile: string | undefined;
  readonly forwardAgent: boolean;
  /** The account of the entry, as returned by `accountMark`. */
  readonly account: string;
  /** True if a login at this address worked, not only at an earlier one. */
  readonly isProved?: boolean;
  /** True if the machine printed its host key into its log, between tokens that only this account knows. */
  readonly isKeyPrinted?: boolean;
  /** The name of the workspace that is open on the instance (`workspaceHostOf`), which leads to it as well. */
  readonly workspace?: string | undefined;
}

const noAgent = '  IdentityAgent none';
const noCertificates = '  PubkeyAcceptedAlgorithms -*-cert-v01@openssh.com';
const header = '# Written by GPU Rental and overwritten by it.';

/** Returns the line that names the instance, and the workspace on it. */
export function hostLine(alias: string, workspace?: string): string {
  return workspace === undefined ? `Host ${alias}` : `Host ${alias} ${workspace}`;
}

/**
 * Returns the file of an instance (docs/ssh.md#options-of-a-host). Every value is validated, none is escaped. Until a
 * login has proved its host key, ssh asks before it accepts one, and refuses if it can't ask.
 */
export function renderHost(entry: HostEntry, knownHosts: string, isPinned: boolean): string {
  const alias = checkAlias(entry.alias);
  if (!/^[0-9a-f]{16}$/.test(entry.account)) {
    throw new Error('An account mark is 16 hexadecimal digits');
  }
  return [
    header,
    `# account ${entry.account} endpoint ${entry.endpoint.kind}${entry.isProved === true ? ' proved' : ''}${entry.isKeyPrinted === true ? ' printed' : ''}`,
    hostLine(alias, entry.workspace === undefined ? undefined : checkWorkspaceHost(entry.workspace)),
    `  HostName ${checkHost(entry.endpoint.host)}`,
    `  Port ${checkPort(entry.endpoint.port)}`,
    '  User root',
    // A machine accepts keys alone: ssh would ask for a password, and send it to a stranger.
    '  PubkeyAuthentication yes',
    '  PreferredAuthentications publickey',
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
    ...(entry.withoutAgent === true ? [noAgent] : []),
    ...(entry.withoutCertificates === true ? [noCertificates] : []),
    `  ForwardAgent ${entry.forwardAgent ? 'yes' : 'no'}`,
    // A `Host *` block of the user may forward X11 to any machine.
    '  ForwardX11 no',
    '  ForwardX11Trusted no',
    // A network device of this computer, which a `Host *` block may offer to every host.
    '  Tunnel no',
    // Cancels variables that lines above the Include send; `verifyHost` reports those below it.
    '  SendEnv -*',
    '  ConnectTimeout 20',
    '  ServerAliveInterval 15',
    '  ServerAliveCountMax 3',
    '',
  ].join('\n');
}

/** Parses what `renderHost` wrote; `undefined` for anything else. */
export function parseHost(alias: string, content: string): HostEntry | undefined {
  const lines = content.split('\n');
  const meta = /^# account ([0-9a-f]{16}) endpoint (direct|proxy)( proved)?( printed)?$/.exec(lines[1] ?? '');
  const value = (name: string) => {
    const line = lines.find((candidate) => candidate.startsWith(`  ${name} `));
    return line?.slice(name.length + 3);
  };
  const workspace = lines[2]?.split(' ')[2];
  if (lines[0] !== header || !meta || lines[2] !== hostLine(alias, workspace)) {
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
      ...(lines.includes(noAgent) ? { withoutAgent: true } : {}),
      ...(lines.includes(noCertificates) ? { withoutCertificates: true } : {}),
      ...(meta[3] === undefined ? {} : { isProved: true }),
      ...(meta[4] === undefined ? {} : { isKeyPrinted: true }),
      ...(workspace === undefined ? {} : { workspace: checkWorkspaceHost(workspace) }),
    };
  } catch {
    // The file was edited by hand, so the next connect writes it again.
    return undefined;
  }
}
