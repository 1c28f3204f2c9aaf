import { wait, type Clock } from '../util/clock';
import { isCancelled, UserError } from '../util/errors';
import { text } from '../util/text';
import { hostKeyErrorOf } from './hostKey';
import { freeLocalPort } from './localPort';
import { plainText } from './plainText';
import { afterLogin } from './preflight';
import type { Run } from './run';
import { checkPort } from './validate';

/** A port of a machine that is reachable on this computer only, until it is closed. */
export interface Forward {
  readonly localPort: number;
  readonly remotePort: number;
  /** Resolves once, when ssh ends or is closed. */
  readonly ended: Promise<void>;
  close(): void;
}

export interface WantedForward {
  readonly remotePort: number;
  /** The wanted local port, used if it is free; by default the same number as on the machine. */
  readonly localPort?: number;
  /** If true, ssh ends within 15 s after the machine stops answering. */
  readonly noticesLossSoon?: boolean;
}

/** The port could not be forwarded. */
export class ForwardError extends UserError {
  constructor(remotePort: number, said: string) {
    super(text('Port {0} of the instance could not be forwarded: {1}', remotePort, plainText(said) || '–'), {
      nextStep: 'retry',
    });
  }
}

const startMs = 30_000;

/**
 * Starts `ssh -N -L`, bound to this computer's loopback address. The wanted local port is used if it is free.
 * Resolves once ssh itself listens: another program may have taken the port first.
 */
export async function openForward(
  deps: {
    readonly run: Run;
    readonly clock: Clock;
    readonly command: readonly [program: string, ...args: string[]];
  },
  alias: string,
  wanted: WantedForward,
  signal?: AbortSignal,
): Promise<Forward> {
  const remotePort = checkPort(wanted.remotePort);
  const localPort = await freeLocalPort(checkPort(wanted.localPort ?? remotePort));
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
    ...['-L', `127.0.0.1:${localPort}:127.0.0.1:${remotePort}`, alias],
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
    .run(program, args, { signal: stop.signal, onStderr })
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
  const failure = (): UserError => hostKeyErrorOf(state.said) ?? new ForwardError(remotePort, state.said);
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
  return { localPort, remotePort, ended, close: onAbort };
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
