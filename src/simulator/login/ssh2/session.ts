import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type * as Library from 'ssh2';
import type { PseudoTtyInfo, ServerChannel, Session, WindowChangeInfo } from 'ssh2';
import type { BackendOptions } from '../sshBackend';
import { serveSftp } from './sftp';

/** The processes of one machine, so that they end with it. */
export class SessionProcesses {
  private readonly children = new Set<ChildProcess>();

  add(child: ChildProcess): void {
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
  }

  endAll(): void {
    for (const child of this.children) {
      endGroup(child);
    }
  }
}

/** Each session is the head of a process group of its own. */
function endGroup(child: ChildProcess): void {
  if (child.pid !== undefined) {
    try {
      process.kill(-child.pid, 'SIGHUP');
    } catch {
      // It has ended.
    }
  }
}

interface Terminal {
  readonly info: PseudoTtyInfo & { readonly term?: string };
  /** In which the session writes the name of its terminal. */
  readonly nameFile: string;
}

export interface SessionOptions extends BackendOptions {
  readonly ssh2: typeof Library;
  readonly processes: SessionProcesses;
}

/** Serves shell, commands and file transfer of one session channel. */
export function serveSession(session: Session, options: SessionOptions): void {
  let terminal: Terminal | undefined;
  const asked: Record<string, string> = {};
  session.on('env', (accept, _reject, { key, val }) => {
    if (/^(LANG|LC_[A-Z]+)$/.test(key)) {
      asked[key] = val;
    }
    answer(accept);
  });
  session.on('pty', (accept, _reject, info) => {
    const nameFile = path.join(options.machine.dir, `tty-${randomBytes(6).toString('hex')}`);
    terminal = { info, nameFile };
    answer(accept);
  });
  session.on('window-change', (accept, _reject, size) => {
    if (terminal) {
      resize(terminal, size);
    }
    answer(accept);
  });
  const run = (channel: ServerChannel, command: string) => {
    const child = startProcess(options, asked, terminal, command);
    options.processes.add(child);
    session.on('signal', (accept, _reject, { name }) => {
      child.kill(`SIG${name}` as NodeJS.Signals);
      answer(accept);
    });
    connect(channel, child, terminal);
  };
  session.on('shell', (accept) => run(accept(), ''));
  session.on('exec', (accept, _reject, { command }) => run(accept(), command));
  session.on('sftp', (accept) => serveSftp(accept(), options.ssh2.utils.sftp, options.machine.home));
}

/** Clients may ask without wanting an answer; the library gives no function to answer with then. */
function answer(accept: (() => unknown) | undefined): void {
  accept?.();
}

function startProcess(
  options: BackendOptions,
  asked: Readonly<Record<string, string>>,
  terminal: Terminal | undefined,
  command: string,
): ChildProcess {
  const { machine } = options;
  const environment = {
    ...options.environment,
    ...asked,
    ...(command === '' ? {} : { SSH_ORIGINAL_COMMAND: command }),
  };
  const common = { cwd: machine.home, detached: true };
  if (!terminal) {
    return spawn('/bin/sh', [machine.sessionScript], { ...common, env: environment });
  }
  const { info, nameFile } = terminal;
  const inner = `/bin/sh '${machine.terminalScript.replaceAll("'", `'\\''`)}'`;
  // BSD's and util-linux's `script` take the command differently.
  const args =
    process.platform === 'darwin' || process.platform === 'freebsd'
      ? ['-q', '/dev/null', '/bin/sh', machine.terminalScript]
      : ['-qfec', inner, '/dev/null'];
  return spawn('script', args, {
    ...common,
    env: {
      ...environment,
      TERM: info.term ?? 'xterm-256color',
      SIMULATED_ROWS: String(info.rows || 24),
      SIMULATED_COLS: String(info.cols || 80),
      SIMULATED_TTY_FILE: nameFile,
    },
  });
}

function connect(channel: ServerChannel, child: ChildProcess, terminal: Terminal | undefined): void {
  const { stdin, stdout, stderr } = child;
  if (stdin) {
    channel.pipe(stdin);
    // The process may end before its input does.
    stdin.on('error', () => undefined);
  }
  stdout?.pipe(channel, { end: false });
  stderr?.pipe(channel.stderr, { end: false });
  const tidy = () => {
    if (terminal) {
      rmSync(terminal.nameFile, { force: true });
    }
  };
  child.once('error', () => {
    channel.stderr.write('The simulated machine could not start the session.\r\n');
    channel.exit(127);
    channel.end();
    tidy();
  });
  child.once('close', (code, signal) => {
    if (signal === null) {
      channel.exit(code ?? 0);
    } else {
      channel.exit(signal.replace(/^SIG/, ''), false, '');
    }
    channel.end();
    tidy();
  });
  channel.once('close', () => {
    // As sshd does: a program of another group learns the end by its input.
    stdin?.destroy();
    endGroup(child);
    if (terminal) {
      // `script` outlives a hangup, and its own terminal with it.
      child.kill('SIGTERM');
    }
  });
  channel.on('error', () => undefined);
}

function resize(terminal: Terminal, size: WindowChangeInfo): void {
  try {
    const name = readFileSync(terminal.nameFile, 'utf8').trim();
    if (/^\/dev\/[\w/.-]+$/.test(name)) {
      const flag = process.platform === 'linux' ? '-F' : '-f';
      // The kernel notifies the programs in the terminal.
      spawnSync('stty', [flag, name, 'rows', String(size.rows), 'cols', String(size.cols)]);
    }
  } catch {
    // The session has not written the name of its terminal yet, or has ended: it keeps its size.
  }
}
