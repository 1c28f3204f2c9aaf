import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { EngineAddress } from '../model/engineAddress';
import {
  gatewayError,
  bodyOf,
  lostEngine,
  notUnderstood,
  readRefusal,
  type GatewayError,
} from '../model/gatewayError';

export interface EngineCall {
  readonly engine: EngineAddress;
  readonly path: string;
  readonly body: Buffer;
  /** Without a byte for so long, the answer is given up (ms). */
  readonly patienceMs: number;
  readonly onRefused: (engine: EngineAddress) => void;
}

const longestHeaderBytes = 32 * 1024;
const longestRefusalBytes = 64 * 1024;
const longestLineBytes = 4 * 1024 * 1024;
const longestAnswerBytes = 128 * 1024 * 1024;

/**
 * Sends a request to an engine once, and its answer to the client as it comes. The engine is a stranger: of its answer only
 * status, type and body pass, and the body has limits. A client that goes ends the request to the engine.
 */
export async function askEngine(response: ServerResponse, call: EngineCall): Promise<void> {
  const answer = await firstAnswer(response, call);
  if ('status' in answer) {
    refuse(response, answer);
    return;
  }
  const { statusCode: status = 0, headers } = answer;
  const type = /^[\w.+/-]+/.exec(headers['content-type'] ?? '')?.[0] ?? '';
  if (status === 401 || status === 403) {
    answer.destroy();
    call.onRefused(call.engine);
    refuse(
      response,
      gatewayError(503, 'model_unavailable', 'The model was started anew. Try again in a moment.'),
    );
  } else if (status >= 400) {
    refuse(response, readRefusal(status, await readStart(answer)));
  } else if (status !== 200) {
    answer.destroy();
    refuse(response, notUnderstood(`status ${status}`));
  } else if (type === 'text/event-stream' || type === 'application/json') {
    await pass(answer, response, type);
  } else {
    answer.destroy();
    refuse(response, notUnderstood('neither JSON nor a stream of events'));
  }
}

function firstAnswer(
  response: ServerResponse,
  { engine, path, body, patienceMs }: EngineCall,
): Promise<IncomingMessage | GatewayError> {
  return new Promise((resolve) => {
    // An agent of its own, so that no connection is kept and nothing is sent twice.
    const request = ask({
      ...engine.place,
      agent: false,
      method: 'POST',
      path,
      maxHeaderSize: longestHeaderBytes,
      timeout: patienceMs,
      headers: {
        host: '127.0.0.1',
        authorization: `Bearer ${engine.key}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    request.once('response', resolve);
    request.on('error', (error) => {
      const isOdd = 'code' in error && String(error.code).startsWith('HPE_');
      resolve(isOdd ? notUnderstood('no HTTP') : lostEngine());
    });
    request.once('timeout', () => {
      request.destroy(new Error('The engine is silent'));
    });
    response.once('close', () => {
      request.destroy();
    });
    request.end(body);
  });
}

/** Returns the first bytes of an answer, which ends then. */
async function readStart(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > longestRefusalBytes) {
        return '';
      }
      pieces.push(piece);
    }
  } catch {
    return '';
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Sends piece by piece, as fast as the client reads. */
async function pass(answer: IncomingMessage, response: ServerResponse, type: string): Promise<void> {
  const isStream = type === 'text/event-stream';
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.flushHeaders();
  let problem: GatewayError | undefined;
  try {
    problem = await passPieces(answer, response, isStream);
  } catch {
    problem = lostEngine();
  }
  answer.destroy();
  if (!problem) {
    response.end();
  } else if (isStream && response.writable) {
    // The client reads it as the error of its request.
    response.end(`\n\ndata: ${bodyOf(problem)}\n\n`);
  } else {
    response.destroy();
  }
}

/** Returns why the answer is not passed to its end. */
async function passPieces(
  answer: IncomingMessage,
  response: ServerResponse,
  hasLines: boolean,
): Promise<GatewayError | undefined> {
  let bytes = 0;
  let lineBytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    const lineEnd = piece.lastIndexOf(10);
    bytes += piece.length;
    lineBytes = lineEnd < 0 ? lineBytes + piece.length : piece.length - lineEnd - 1;
    if (bytes > longestAnswerBytes || (hasLines && lineBytes > longestLineBytes)) {
      return notUnderstood('it has no end');
    }
    if (!response.write(piece) && !response.destroyed) {
      await hasRoom(response);
    }
    if (response.destroyed) {
      return undefined;
    }
  }
  return undefined;
}

/** Resolves once the client has read enough, or is gone. */
function hasRoom(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off('drain', settle);
      response.off('close', settle);
      resolve();
    };
    response.on('drain', settle);
    response.on('close', settle);
  });
}

/** Refuses a request, whose rest is read and dropped. */
export function refuse(response: ServerResponse, error: GatewayError): void {
  if (!response.headersSent && response.writable) {
    response.writeHead(error.status, {
      'content-type': 'application/json',
      ...(error.status === 503 ? { 'retry-after': '5' } : {}),
    });
    response.end(bodyOf(error));
  }
}
