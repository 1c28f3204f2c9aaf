import { randomBytes } from 'node:crypto';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import { wait, type Clock } from '../util/clock';
import { isCancelled, UserError } from '../util/errors';
import { text } from '../util/text';
import { hostKeyErrorOf } from './hostKey';
import { plainText } from './plainText';
import { afterLogin } from './preflight';
import type { Run } from './run';
import { checkHost, checkPort, UnsafeValueError } from './validate';

/** A port of a machine that is reachable on this computer only, until it is closed. */
export interface Forward {
  /** 0 with a `localSocket`. */
  readonly localPort: number;
  /** As in `WantedForward`. */
  readonly localSocket?: string;
  readonly remotePort: number;
  /** As in `WantedForward`. */
  readonly remoteHost?: string;
  /** Resolves once, when ssh ends or is closed. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface WantedForward {
  readonly remotePort: number;
  /** Where the program listens, as the machine calls it; by default its IPv4 loopback address. */
  readonly remoteHost?: string;
  /** The wanted local port, used if it is free; by default the same number as on the machine. */
  readonly localPort?: number;
  /**
   * A path at which ssh listens in place of a port, for this user alone. Its folder must be closed to others, and an
   * earlier socket there is replaced. Not on Windows.
   */
  readonly localSocket?: string;
  /** If true, ssh ends within 15 s after the machine stops answering. */
  readonly noticesLossSoon?: boolean;
}

/** The port could not be forwarded. */
class ForwardError extends UserError {
  constructor(port: string, output: string) {
    super(text('Port {0} of the instance could not be forwarded: {1}', port, plainText(output) || '–'), {
      nextStep: 'retry',
    });
  }
}

/** The SSH server of the machine does not forward: ssh listens all the same, and each connection ends at once. */
export class ForwardingForbiddenError extends UserError {
  constructor(port: string) {
    super(
      text(
        'Port {0} of the instance could not be forwarded, because its SSH server forbids forwarding. Set "AllowTcpForwarding yes" in its sshd_config, or choose another image.',
        port,
      ),
      { nextStep: 'retry' },
    );
  }
}

const startMs = 30_000;
/** The longest wait for a program to accept the first connection (ms). */
const firstConnectionMs = 10_000;

interface ForwardDeps {
  readonly run: Run;
  readonly clock: Clock;
  readonly command: readonly [program: string, ...args: string[]];
  /** The machine is this computer. */
  readonly isHere?: boolean;
}

/**
 * Starts `ssh -N -L`, bound to this computer's loopback address. The wanted local port is used if it is free, and never
 * the forwarded one where the machine is this computer, as in the demo: it would lead to itself, without an end.
 * Resolves once ssh itself listens, since another program may have taken the port first, and the machine has not refused a
 * first connection.
 */
export async function openForward(
  deps: ForwardDeps,
  alias: string,
  wanted: WantedForward,
  signal?: AbortSignal,
): Promise<Forward> {
  const remotePort = checkPort(wanted.remotePort);
  const remoteHost = checkHost(wanted.remoteHost ?? '127.0.0.1');
  const { localSocket } = wanted;
  const localPort = localSocket === undefined ? await localPortFor(wanted, deps.isHere === true) : 0;
  const local = localSocket ?? `127.0.0.1:${localPort}`;
  const stop = new AbortController();
  const onAbort = () => {
    stop.abort();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const [program, ...before] = deps.command;
  const output = new SshOutput();
  const options = ['PermitLocalCommand=yes', `LocalCommand=echo ${output.listensMark}`, ...optionsOf(wanted)];
  const args = [
    ...before,
    // ssh reports what became of a connection only with `-vv`.
    ...['-vv', '-N'],
    ...options.flatMap((option) => ['-o', option]),
    ...['-L', `${local}:${inUrl(remoteHost)}:${remotePort}`, alias],
  ];
  const state = { said: '', isOver: false };
  const ended = deps
    .run(program, args, { ...output.handlers, signal: stop.signal, endsWithUs: true })
    .then(
      (result) => {
        state.said = withoutDebug(result.stderr);
      },
      (error: unknown) => {
        state.said = isCancelled(error) ? '' : String(error);
      },
    )
    .then(() => {
      state.isOver = true;
    });
  const isOver = () => state.isOver;
  const failure = (): UserError => hostKeyErrorOf(state.said) ?? new ForwardError(portOf(wanted), state.said);
  const until = async (isDone: () => boolean, ms: number, stepMs: number) => {
    const startedAt = deps.clock.elapsed();
    while (!isDone() && !isOver() && deps.clock.elapsed() - startedAt <= ms) {
      await wait(deps.clock, stepMs, signal);
    }
  };
  try {
    await until(() => output.listens, startMs, 100);
    if (isOver() || !output.listens) {
      throw failure();
    }
    const place = localSocket === undefined ? { host: '127.0.0.1', port: localPort } : { path: localSocket };
    await tryOnce(place, () => until(() => output.ofConnection !== undefined, firstConnectionMs, 50));
    if (output.ofConnection === 'forbidden') {
      throw new ForwardingForbiddenError(portOf(wanted));
    }
    if (isOver()) {
      throw failure();
    }
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  return {
    localPort,
    remotePort,
    ...(localSocket === undefined ? {} : { localSocket }),
    ...(wanted.remoteHost === undefined ? {} : { remoteHost: wanted.remoteHost }),
    ended,
    close: onAbort,
  };
}

function optionsOf({ localSocket, noticesLossSoon }: WantedForward): readonly string[] {
  return [
    'ExitOnForwardFailure=yes',
    ...(localSocket === undefined ? [] : ['StreamLocalBindUnlink=yes', 'StreamLocalBindMask=0177']),
    ...(noticesLossSoon === true ? ['ServerAliveInterval=5', 'ServerAliveCountMax=3'] : []),
  ];
}

/** The message of ssh about the first connection through a forward: that it is open, or why not. */
const ofConnection = /^(?:debug2: )?channel \d+: (?:open confirm|open failed: (.*))/m;
/** sshd answers so where its config allows no forwarding at all, or none to this port. */
const forbidden = /^(?:administratively prohibited|unknown channel type)/;

/**
 * Separates messages of ssh itself from those that the machine makes it print, such as a banner. Once ssh has
 * bound its ports, it runs a command of this computer (`ssh_session2` in ssh.c of OpenSSH), which prints a random
 * mark to standard output. Nothing of a machine is printed there, and nothing of ours connects before that.
 */
class SshOutput {
  readonly listensMark = randomBytes(12).toString('hex');
  listens = false;
  ofConnection: 'open' | 'forbidden' | 'failed' | undefined;
  private stdout = '';
  private stderr = '';

  readonly handlers = {
    onStdout: (piece: string): void => {
      this.stdout = this.listens ? '' : this.stdout + piece;
      this.listens ||= this.stdout.includes(this.listensMark);
    },
    onStderr: (piece: string): void => {
      if (this.listens && this.ofConnection === undefined) {
        this.stderr += piece;
        const found = ofConnection.exec(this.stderr);
        this.ofConnection = found ? kindOf(found[1]) : undefined;
      }
    },
  };
}

function kindOf(refusal: string | undefined): 'open' | 'forbidden' | 'failed' {
  if (refusal === undefined) {
    return 'open';
  }
  return forbidden.test(refusal) ? 'forbidden' : 'failed';
}

/**
 * Connects once through a forward, and closes the connection once its outcome is known: ssh reports only
 * for a connection whether the machine forwards at all. A program behind it sees a silent connection.
 */
async function tryOnce(place: NetConnectOpts, known: () => Promise<void>): Promise<void> {
  const socket = connect(place);
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  try {
    if (isConnected) {
      await known();
    }
  } finally {
    socket.destroy();
  }
}

/** The name by which a machine reaches itself over IPv4 and IPv6. */
export const ownHost = 'localhost';

/** Returns a port as it is shown: its number, after an address unless that is the machine's own. */
export function portOf({ remotePort, remoteHost }: Pick<WantedForward, 'remotePort' | 'remoteHost'>): string {
  return remoteHost === undefined || remoteHost === ownHost
    ? String(remotePort)
    : `${inUrl(remoteHost)}:${remotePort}`;
}

/** Parses what `portOf` returns; `undefined` for anything else. */
export function parseForwardedPort(
  typed: string,
): { readonly remotePort: number; readonly remoteHost: string } | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]:|([^:]*):)?(\d{1,5})$/.exec(typed.trim()) ?? [];
  try {
    return {
      remotePort: checkPort(Number(port)),
      remoteHost: checkHost(bracketed ?? plain ?? ownHost),
    };
  } catch (error) {
    if (error instanceof UnsafeValueError) {
      return undefined;
    }
    throw error;
  }
}

/** An address of IPv6 has colons of its own. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

async function localPortFor(
  { remotePort, localPort = remotePort }: WantedForward,
  isHere: boolean,
): Promise<number> {
  let port = await freeLocalPort(checkPort(localPort));
  while (isHere && port === remotePort) {
    port = await freeLocalPort(0);
  }
  return port;
}

/** Returns the messages of ssh without debug lines and the banner of the machine. */
function withoutDebug(stderr: string): string {
  return afterLogin(stderr)
    .split(/\r?\n/)
    .filter((line) => !/^(?:debug\d:|OpenSSH_)/.test(line))
    .join('\n')
    .trim();
}

/**
 * Returns a free local port, the wanted one if possible. It must be free on both loopback addresses: a browser may
 * resolve `localhost` to either, and would reach another server on the other one.
 */
export async function freeLocalPort(wanted: number): Promise<number> {
  const isOurs = (await tryPort(wanted, '::1')) !== 'taken';
  const own = isOurs ? await tryPort(wanted) : undefined;
  const any = typeof own === 'number' ? own : await tryPort(0);
  return typeof any === 'number' ? any : wanted;
}

async function tryPort(port: number, host = '127.0.0.1'): Promise<number | 'taken' | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve('code' in error && error.code === 'EADDRINUSE' ? 'taken' : undefined);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const found = address !== null && typeof address === 'object' ? address.port : undefined;
      server.close(() => {
        resolve(found);
      });
    });
  });
}
