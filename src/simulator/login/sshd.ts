import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { InstanceKey } from '../state';
import { environmentLink, shellWord } from './machineDir';
import { writeEnvironmentFile } from './sessionEnvironment';
import type { BackendOptions, SshBackend } from './sshBackend';

interface SshdPrograms {
  readonly sshd: string;
  readonly sftpServer: string;
}

const sshdPlaces = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd', '/opt/homebrew/sbin/sshd'];
const sftpPlaces = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/sftp-server',
  '/usr/lib/sftp-server',
];

/**
 * The programs, where the machine's sshd can let `root` in: it must run as root itself, and the
 * account must not be locked. `undefined` says that the other server has to do.
 */
export function usableSshd(): SshdPrograms | undefined {
  const sshd = sshdPlaces.find((file) => existsSync(file));
  const sftpServer = sftpPlaces.find((file) => existsSync(file));
  if (!sshd || !sftpServer || process.getuid?.() !== 0 || rootIsLocked()) {
    return undefined;
  }
  return { sshd, sftpServer };
}

/** Without PAM, sshd refuses an account whose password field begins with `!`. */
function rootIsLocked(): boolean {
  try {
    return readFileSync('/etc/shadow', 'utf8').startsWith('root:!');
  } catch {
    // A system without this file has no locked accounts in it.
    return false;
  }
}

/** Runs the machine's own sshd for each connection, in the manner of inetd: nothing of it listens. */
export class SshdBackend implements SshBackend {
  private readonly children = new Set<ChildProcess>();
  private readonly configFile: string;
  private readonly keysFile: string;
  private readonly environment: { readonly file: string; remove(): void };

  /** @throws Error when sshd does not accept its configuration. */
  constructor(
    private readonly programs: SshdPrograms,
    private readonly options: BackendOptions,
  ) {
    const { dir } = options.machine;
    this.configFile = path.join(dir, 'sshd_config');
    this.keysFile = path.join(dir, 'authorized_keys');
    this.environment = writeEnvironmentFile(options.environment);
    writeFileSync(environmentLink(dir), `${this.environment.file}\n`, { mode: 0o600 });
    writeFileSync(this.configFile, this.config(), { mode: 0o600 });
    this.keysChanged(options.keys);
    mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
    const checked = spawnSync(programs.sshd, ['-t', '-f', this.configFile], { encoding: 'utf8' });
    if (checked.status !== 0) {
      this.environment.remove();
      throw new Error(`sshd does not accept its configuration: ${checked.stderr.trim()}`);
    }
  }

  serve(socket: Socket): void {
    const child = spawn(this.programs.sshd, ['-i', '-f', this.configFile], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
      detached: true,
    });
    this.children.add(child);
    socket.setNoDelay(true);
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
    const end = () => {
      this.children.delete(child);
      socket.destroy();
    };
    child.once('exit', end);
    child.once('error', (error) => {
      this.options.report(error);
      end();
    });
    // A pipe that breaks is a connection that ended; the exit above says so.
    child.stdin.on('error', () => undefined);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      child.stdin.destroy();
      child.kill('SIGHUP');
    });
  }

  keysChanged(keys: readonly InstanceKey[]): void {
    writeFileSync(this.keysFile, keys.map((key) => `${key.publicKey}\n`).join(''), { mode: 0o600 });
  }

  close(): void {
    for (const child of this.children) {
      child.kill('SIGTERM');
    }
    this.environment.remove();
  }

  private config(): string {
    const { machine } = this.options;
    const quoted = (file: string) => `"${file.replace(/["\\]/g, '\\$&')}"`;
    return [
      `HostKey ${quoted(machine.hostKeyFile)}`,
      `AuthorizedKeysFile ${quoted(percentSafe(this.keysFile))}`,
      'AllowUsers root',
      'PermitRootLogin prohibit-password',
      'PubkeyAuthentication yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      // The folder may lie in a home with a looser mode; the file itself is ours and 0600.
      'StrictModes no',
      'UsePAM no',
      'UseDNS no',
      'PidFile none',
      'PrintMotd no',
      'PrintLastLog no',
      'PermitUserEnvironment no',
      'PermitUserRC no',
      'AllowTcpForwarding yes',
      'AllowStreamLocalForwarding yes',
      'X11Forwarding no',
      'AllowAgentForwarding no',
      'MaxSessions 100',
      'LogLevel QUIET',
      'AcceptEnv LANG LC_*',
      `Subsystem sftp ${this.programs.sftpServer}`,
      `ForceCommand /bin/sh ${shellWord(machine.sessionScript)}`,
      '',
    ].join('\n');
  }
}

function percentSafe(file: string): string {
  return file.replaceAll('%', '%%');
}
