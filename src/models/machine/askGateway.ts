import { request as ask, type IncomingMessage } from 'node:http';
import { CancelledError } from '../../util/errors';
import { parseJson } from '../../util/json';
import { text } from '../../util/text';
import { ChatAnswerError, ChatAnswerReader, refused, type AnswerPart } from '../model/chatAnswer';

export interface GatewayCall {
  readonly port: number;
  readonly key: string;
  readonly body: string;
  readonly hasTools: boolean;
  readonly signal: AbortSignal;
  readonly onPart: (part: AnswerPart) => void;
  /** Between two events of an answer (ms). */
  readonly patienceMs?: number;
}

/** A long prompt is computed for minutes before the first event. */
const usualPatienceMs = 10 * 60_000;
const longestRefusalBytes = 64 * 1024;

/**
 * Asks a model once through the gateway, and reports its answer piece by piece. Throws `ChatAnswerError` with a sentence for
 * the chat, or `CancelledError`.
 */
export async function askGateway(call: GatewayCall): Promise<void> {
  const { signal, patienceMs = usualPatienceMs } = call;
  const silence = new AbortController();
  const own = AbortSignal.any([signal, silence.signal]);
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), patienceMs);
  };
  begin();
  try {
    const answer = await begun(call, own);
    if (answer.statusCode === 200) {
      await read(answer, call, begin);
    } else {
      throw refused(errorIn(await start(answer)));
    }
  } catch (error) {
    if (signal.aborted) {
      throw new CancelledError();
    }
    throw silence.signal.aborted
      ? new ChatAnswerError(text('The model said nothing for too long, so the question was given up.'))
      : error instanceof ChatAnswerError
        ? error
        : refused({ code: 'model_unreachable' });
  } finally {
    clearTimeout(timer);
  }
}

function begun({ port, key, body }: GatewayCall, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = ask({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: '/v1/chat/completions',
      signal,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** What is not read to its end is closed. */
async function read(answer: IncomingMessage, call: GatewayCall, onEvent: () => void): Promise<void> {
  const reader = new ChatAnswerReader(call.onPart, call.hasTools);
  for await (const piece of answer as AsyncIterable<Buffer>) {
    if (reader.receive(piece)) {
      onEvent();
    }
  }
  reader.end();
}

async function start(answer: IncomingMessage): Promise<string> {
  let body = '';
  for await (const piece of answer as AsyncIterable<Buffer>) {
    body += piece.toString('utf8');
    if (body.length > longestRefusalBytes) {
      break;
    }
  }
  return body;
}

function errorIn(body: string): unknown {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null && 'error' in value ? value.error : undefined;
  } catch {
    return undefined;
  }
}
