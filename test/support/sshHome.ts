import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../src/ssh/fileSystem';
import type { SshEnvironment } from '../../src/ssh/paths';
import { probeBanner, type Probe } from '../../src/ssh/probe';
import { runProgram, type Run } from '../../src/ssh/run';
import { createSshService, type SshService } from '../../src/ssh/service';
import { systemClock, type Clock } from '../../src/util/clock';
import { thisProcess } from '../../src/util/fileLock';
import { silentLog } from '../../src/util/log';

/** A home folder of its own, whose SSH config is named by `-F`, so that the real one stays out of it. */
export class SshHome {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'gpu-ssh-')));
  readonly home: string;
  readonly sshDir: string;
  readonly configFile: string;
  readonly ownDir: string;

  constructor(name = 'home') {
    this.home = join(this.root, name);
    this.sshDir = join(this.home, '.ssh');
    this.configFile = join(this.sshDir, 'config');
    this.ownDir = join(this.sshDir, 'gpu-rental.d');
    mkdirSync(this.sshDir, { recursive: true, mode: 0o700 });
  }

  get environment(): SshEnvironment {
    return {
      platform: process.platform,
      home: this.home,
      accountHome: this.home,
      configFile: this.configFile,
      sshPath: undefined,
      agentSocket: undefined,
    };
  }

  service(
    parts: Partial<{
      fs: FileSystem;
      run: Run;
      probe: Probe;
      clock: Clock;
      platform: NodeJS.Platform;
      agentSocket: string;
      keepsSharedTmux: boolean;
      startTokenOf: (alias: string) => string | undefined;
    }> = {},
  ): SshService {
    return createSshService({
      fs: parts.fs ?? nodeFileSystem,
      run: parts.run ?? this.run,
      probe: parts.probe ?? probeBanner,
      clock: parts.clock ?? systemClock,
      log: silentLog,
      identity: thisProcess,
      ...(parts.startTokenOf === undefined ? {} : { startTokenOf: parts.startTokenOf }),
      // `~` would lead to the home of the user who runs the tests.
      environment: () => ({
        ...this.environment,
        accountHome: join(this.root, 'account'),
        agentSocket: parts.agentSocket,
        keepsSharedTmux: parts.keepsSharedTmux ?? false,
        ...(parts.platform === undefined ? {} : { platform: parts.platform }),
      }),
    });
  }

  /** The real programs without the agent of whoever runs the tests, who is only admitted under their own name. */
  readonly run: Run = (program, args, options = {}) => {
    const logsIn = program.endsWith('ssh') && !args.includes('-G') && process.getuid?.() !== 0;
    return runProgram(program, logsIn ? ['-o', `User=${process.env['USER'] ?? ''}`, ...args] : args, {
      ...options,
      env: { SSH_AUTH_SOCK: '', ...options.env },
    });
  };

  write(content: string | Buffer, file = this.configFile, mode = 0o600): string {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
    return file;
  }

  read(file = this.configFile): string {
    return readFileSync(file, 'latin1');
  }

  mode(file: string): string {
    return (statSync(file).mode & 0o777).toString(8);
  }

  /** A key in `~/.ssh`; returns its public line. */
  key(name = 'id_ed25519', passphrase = '', type: 'ed25519' | 'rsa' = 'ed25519'): string {
    const file = join(this.sshDir, name);
    // The shortest that ssh takes: finding a longer one takes seconds.
    const size = type === 'rsa' ? ['-b', '1024'] : [];
    execFileSync('ssh-keygen', ['-q', '-t', type, ...size, '-N', passphrase, '-C', name, '-f', file]);
    return readFileSync(`${file}.pub`, 'utf8').trim();
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
