import { request } from 'node:http';
import * as z from 'zod';
import { UserError } from '../../util/errors';
import { parseJson } from '../../util/json';
import { text } from '../../util/text';

/** The end of a tunnel, and the token of the server behind it. */
export interface ServerAddress {
  readonly localPort: number;
  readonly token: string;
  /** Returns false while no ssh of ours has the port, which another program may have by then. */
  readonly isOpen?: () => boolean;
}

export interface Kernel {
  readonly id: string;
  readonly name: string;
  readonly isBusy: boolean;
  /** Its process ended by itself, and the server gave up starting it again. */
  readonly isDead: boolean;
  /** The notebooks and clients that are connected to it. */
  readonly connections: number;
}

const kernelShape = z.object({
  id: z.string().regex(/^[0-9a-fA-F-]{8,64}$/),
  name: z.string().max(200).catch('–'),
  execution_state: z.string().catch('unknown'),
  connections: z.number().int().nonnegative().catch(0),
});

/** The server was not reached, or refused. */
export class NotServedError extends UserError {
  constructor(
    reason: string,
    readonly status?: number,
  ) {
    super(text('The Jupyter server of the instance did not answer: {0}', reason), { nextStep: 'retry' });
  }
}

/** More rows than this help no reader. */
const mostKernels = 100;
const answerBytes = 1_000_000;
/** A server that takes longer hangs. Real time, not the product's clock, because a tunnel has its own delays. */
const patienceMs = 10_000;

/** Returns the kernels of one of our servers. Rows that can't be a kernel are left out. */
export async function kernelsOf(server: ServerAddress, withinMs = patienceMs): Promise<readonly Kernel[]> {
  const given: unknown = parse(await call(server, 'GET', '/api/kernels', withinMs));
  if (!Array.isArray(given)) {
    throw new NotServedError('no list');
  }
  const kernels = new Map<string, Kernel>();
  for (const row of given) {
    const { data } = kernelShape.safeParse(row);
    if (data && !kernels.has(data.id) && kernels.size < mostKernels) {
      const { id, name, execution_state: state, connections } = data;
      kernels.set(id, { id, name, isBusy: state === 'busy', isDead: state === 'dead', connections });
    }
  }
  return [...kernels.values()];
}

/** A notebook or console with its kernel. */
export interface NotebookSession {
  readonly name: string;
  readonly kernelName: string;
}

const sessionShape = z.object({
  name: z.string().max(1000),
  kernel: z.object({ name: z.string().max(200) }),
});

/** Returns the sessions of one of our servers, as `kernelsOf` does with its kernels. */
export async function sessionsOf(server: ServerAddress): Promise<readonly NotebookSession[]> {
  const given: unknown = parse(await call(server, 'GET', '/api/sessions', patienceMs));
  if (!Array.isArray(given)) {
    throw new NotServedError('no list');
  }
  return given.slice(0, mostKernels).flatMap((row) => {
    const { data } = sessionShape.safeParse(row);
    return data ? [{ name: data.name, kernelName: data.kernel.name }] : [];
  });
}

/** Ends a kernel; one that the server does not have any more has ended. */
export async function shutDownKernel(server: ServerAddress, id: string): Promise<void> {
  try {
    await call(server, 'DELETE', `/api/kernels/${encodeURIComponent(id)}`, patienceMs);
  } catch (error) {
    if (!(error instanceof NotServedError && error.status === 404)) {
      throw error;
    }
  }
}

function parse(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    throw new NotServedError('no JSON');
  }
}

function call(
  { localPort, token, isOpen = () => true }: ServerAddress,
  method: string,
  path: string,
  withinMs: number,
): Promise<string> {
  const signal = AbortSignal.timeout(withinMs);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: localPort,
        method,
        path,
        agent: false,
        headers: { authorization: `token ${token}` },
        signal,
      },
      (answer) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (piece: Buffer) => {
          bytes += piece.length;
          pieces.push(piece);
          if (bytes > answerBytes) {
            sent.destroy(new Error('too long'));
          }
        });
        answer.on('error', fail);
        answer.on('end', () => {
          const { statusCode = 0 } = answer;
          if (statusCode >= 200 && statusCode < 300) {
            resolve(Buffer.concat(pieces).toString('utf8'));
          } else {
            reject(new NotServedError(`HTTP ${statusCode}`, statusCode));
          }
        });
      },
    );
    const fail = (error: Error) => {
      reject(new NotServedError(signal.aborted ? `no answer within ${withinMs / 1000} s` : error.message));
    };
    sent.on('error', fail);
    // The token leaves with the end of the request, so only once it is known who has the port.
    sent.once('socket', (socket) => {
      socket.once('connect', () => {
        if (isOpen()) {
          sent.end();
        } else {
          sent.destroy(new Error('the connection is interrupted'));
        }
      });
    });
  });
}
