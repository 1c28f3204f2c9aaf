import { connect } from 'node:net';
import { wait, type Clock } from '../util/clock';
import { isCancelled, UserError } from '../util/errors';
import { text } from '../util/text';
import { freeLocalPort } from './localPort';
import { plainText } from './plainText';
import type { Run } from './run';
import { checkPort } from './validate';

/** A port of a machine that is reachable on this computer alone, until it is closed. */
export interface Forward {
  readonly localPort: number;
  readonly remotePort: number;
  /** Fires its listener once, when ssh ends by itself or is closed. */
  readonly ended: Promise<void>;
  close(): void;
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
 * Starts `ssh -N -L`, bound to this computer's loopback address. The same local port is taken where
 * it is free. Resolves once the port answers here.
 */
export async function openForward(
  deps: {
    readonly run: Run;
    readonly clock: Clock;
    readonly command: readonly [program: string, ...args: string[]];
  },
  alias: string,
  wantedPort: number,
  signal?: AbortSignal,
): Promise<Forward> {
  const remotePort = checkPort(wantedPort);
  const localPort = await freeLocalPort(remotePort);
  const stop = new AbortController();
  const onAbort = () => {
    stop.abort();
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const [program, ...before] = deps.command;
  const options = ['BatchMode=yes', 'ExitOnForwardFailure=yes', 'RemoteCommand=none', 'ControlPath=none'];
  const args = [
    ...before,
    ...['-N', '-T'],
    ...options.flatMap((option) => ['-o', option]),
    ...['-L', `127.0.0.1:${localPort}:127.0.0.1:${remotePort}`, alias],
  ];
  const state = { said: '', isOver: false };
  const ended = deps
    .run(program, args, { signal: stop.signal })
    .then(
      (result) => {
        state.said = result.stderr.trim();
      },
      (error: unknown) => {
        state.said = isCancelled(error) ? '' : String(error);
      },
    )
    .then(() => {
      state.isOver = true;
    });
  const isOver = () => state.isOver;
  try {
    const startedAt = deps.clock.now();
    while (!(await answers(localPort))) {
      if (isOver() || deps.clock.now() - startedAt > startMs) {
        throw new ForwardError(remotePort, state.said);
      }
      await wait(deps.clock, 100, signal);
    }
    if (isOver()) {
      throw new ForwardError(remotePort, state.said);
    }
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  return { localPort, remotePort, ended, close: onAbort };
}

/** ssh opens the local port once it is logged in. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
