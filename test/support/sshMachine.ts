import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newHostKey } from '../../src/simulator/login/machineDir';

interface StartOptions {
  readonly port?: number;
  /** Variables of every login. */
  readonly env?: Readonly<Record<string, string>>;
  /** Lines of its configuration. */
  readonly extra?: readonly string[];
}

/** A real `sshd` on this computer that acts as one rented machine. */
export class SshMachine {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'gpu-sshd-')));
  private process: ChildProcess | undefined;
  private output = '';
  port = 0;

  constructor() {
    chmodSync(this.dir, 0o755);
    this.newHostKey();
    this.authorize();
  }

  /** Which keys get in; none to begin with. */
  authorize(...lines: readonly string[]): void {
    writeFileSync(join(this.dir, 'authorized_keys'), lines.map((line) => `${line}\n`).join(''), {
      mode: 0o644,
    });
  }

  newHostKey(): void {
    writeFileSync(join(this.dir, 'host_key'), newHostKey('host'), { mode: 0o600 });
  }

  /**
   * Starts on a free port, or on a given one; resolves once it greets. Its logins have an empty home folder: what the
   * shell of this computer's user reads when it starts would be part of every test.
   */
  async start({ port, env = {}, extra = [] }: StartOptions = {}): Promise<this> {
    this.port = port ?? (await freePort());
    const home = join(this.dir, 'home');
    mkdirSync(home, { recursive: true });
    // A shell that is hung up would write its history while the folder is removed.
    const variables = Object.entries({ HOME: home, HISTFILE: '', ...env }).map(
      ([name, value]) => `"${name}=${value}"`,
    );
    // Root's sshd wants its folder for privilege separation.
    if (process.getuid?.() === 0 && !existsSync('/run/sshd')) {
      mkdirSync('/run/sshd', { recursive: true });
    }
    const config = join(this.dir, 'sshd_config');
    writeFileSync(
      config,
      [
        'ListenAddress 127.0.0.1',
        `Port ${this.port}`,
        `HostKey ${join(this.dir, 'host_key')}`,
        'PidFile none',
        `AuthorizedKeysFile ${join(this.dir, 'authorized_keys')}`,
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'UsePAM no',
        'StrictModes no',
        'PermitRootLogin prohibit-password',
        'PrintMotd no',
        'Subsystem sftp internal-sftp',
        // The usual one, which withstands quantum computers, takes half of the processor time of a login.
        'KexAlgorithms curve25519-sha256',
        `SetEnv ${variables.join(' ')}`,
        ...extra,
        '',
      ].join('\n'),
    );
    this.process = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process.stderr?.on('data', (piece: Buffer) => {
      this.output += piece.toString();
    });
    await this.untilItGreets();
    return this;
  }

  async stop(): Promise<void> {
    const running = this.process;
    this.process = undefined;
    if (running?.exitCode === null) {
      const ended = once(running, 'exit');
      running.kill();
      await ended;
    }
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  private async untilItGreets(): Promise<void> {
    while (!(await greets(this.port))) {
      if (this.process?.exitCode !== null) {
        throw new Error(`sshd does not start: ${this.output}`);
      }
    }
  }
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => setTimeout(() => resolve(false), 20));
  });
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') {
    throw new Error('no port');
  }
  return address.port;
}
