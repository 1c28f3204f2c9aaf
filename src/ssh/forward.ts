import { wait, type Clock } from '../util/clock';
import { isCancelled, UserError } from '../util/errors';
import { text } from '../util/text';
import { hostKeyErrorOf } from './hostKey';
import { freeLocalPort } from './localPort';
import { plainText } from './plainText';
import { afterLogin } from './preflight';
import type { Run } from './run';
import { checkHost, checkPort, UnsafeValueError } from './validate';

/** A port of a machine that is reachable on this computer only, until it is closed. */
export interface Forward {
  readonly localPort: number;
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
  /** If true, ssh ends within 15 s after the machine stops answering. */
  readonly noticesLossSoon?: boolean;
}

/** The port could not be forwarded. */
export class ForwardError extends UserError {
  constructor(port: string, said: string) {
    super(text('Port {0} of the instance could not be forwarded: {1}', port, plainText(said) || '–'), {
      nextStep: 'retry',
    });
  }
}

const startMs = 30_000;

/**
 * Starts `ssh -N -L`, bound to this computer's loopback address. The wanted local port is used if it is free, and never
 * the forwarded one where the machine is this computer, as in the demo: it would lead to itself, without an end.
 * Resolves once ssh itself listens: another program may have taken the port first.
 */
export async function openForward(
  deps: {
    readonly run: Run;
    readonly clock: Clock;
    readonly command: readonly [program: string, ...args: string[]];
    /** The machine is this computer. */
    readonly isHere?: boolean;
  },
  alias: string,
  wanted: WantedForward,
  signal?: AbortSignal,
): Promise<Forward> {
  const remotePort = checkPort(wanted.remotePort);
  const remoteHost = checkHost(wanted.remoteHost ?? '127.0.0.1');
  const localPort = await localPortFor(wanted, deps.isHere === true);
  const stop = new AbortController();
  const onAbort = () => {
    stop.abort();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const [program, ...before] = deps.command;
  const options = [
    'ExitOnForwardFailure=yes',
    ...(wanted.noticesLossSoon === true ? ['ServerAliveInterval=5', 'ServerAliveCountMax=3'] : []),
  ];
  const args = [
    ...before,
    // ssh reports that it listens only with `-v`.
    ...['-v', '-N'],
    ...options.flatMap((option) => ['-o', option]),
    ...['-L', `127.0.0.1:${localPort}:${inUrl(remoteHost)}:${remotePort}`, alias],
  ];
  const state = { said: '', isOver: false, listens: false };
  let told = '';
  const onStderr = (piece: string) => {
    if (!state.listens) {
      told += piece;
      state.listens = listener.test(told);
    }
  };
  const ended = deps
    .run(program, args, { signal: stop.signal, onStderr, endsWithUs: true })
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
  const listens = () => state.listens;
  const failure = (): UserError => hostKeyErrorOf(state.said) ?? new ForwardError(portOf(wanted), state.said);
  try {
    const startedAt = deps.clock.elapsed();
    while (!listens()) {
      if (isOver() || deps.clock.elapsed() - startedAt > startMs) {
        throw failure();
      }
      await wait(deps.clock, 100, signal);
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
    ...(wanted.remoteHost === undefined ? {} : { remoteHost: wanted.remoteHost }),
    ended,
    close: onAbort,
  };
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

/** ssh names its port before it binds it; the channel line appears once the port belongs to ssh. */
const listener = /^debug1: channel \d+: new .*port listener\]/m;

/** Returns the messages of ssh without debug lines and the banner of the machine. */
function withoutDebug(stderr: string): string {
  return afterLogin(stderr)
    .split(/\r?\n/)
    .filter((line) => !/^(?:debug\d:|OpenSSH_)/.test(line))
    .join('\n')
    .trim();
}
