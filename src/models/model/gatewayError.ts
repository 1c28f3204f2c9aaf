import { parseJson } from '../../util/json';

/** An error in the form that clients of OpenAI's interface read. */
export interface GatewayError {
  readonly status: number;
  /** One sentence, or a few. */
  readonly message: string;
  readonly type: string;
  readonly code: string;
}

export function gatewayError(status: number, code: string, message: string): GatewayError {
  return { status, code, message, type: status < 500 ? 'invalid_request_error' : 'server_error' };
}

/** The body of an answer, or of an event in a stream. */
export function bodyOf({ message, type, code }: GatewayError): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}

/** What an engine may answer besides its own faults. */
const passedStatuses = [400, 404, 409, 413, 422, 429, 500, 501, 503];
const longestMessage = 2000;
/** The words of vLLM and of llama.cpp. */
const tooLong = /maximum context length|exceeds? the available context|max_model_len/;

/**
 * Reads a refusal of an engine, whose forms differ: `{error: {message}}`, `{error: "…"}`, `{message}` or `{detail}`. Anything
 * else is a fault of the engine. Clients shorten their conversation by the code `context_length_exceeded`.
 */
export function readRefusal(status: number, body: string): GatewayError {
  const message = messageIn(body);
  if (message === undefined || !passedStatuses.includes(status)) {
    return notUnderstood(`status ${status}`);
  }
  const isTooLong = status === 400 && (tooLong.test(message) || body.includes('exceed_context_size_error'));
  const code = isTooLong
    ? 'context_length_exceeded'
    : status === 429
      ? 'rate_limit_exceeded'
      : 'engine_error';
  return gatewayError(status, code, message.slice(0, longestMessage));
}

export function notUnderstood(detail: string): GatewayError {
  return gatewayError(
    502,
    'bad_engine_answer',
    `The model's inference server gave an answer that is none: ${detail}.`,
  );
}

export function lostEngine(): GatewayError {
  return gatewayError(
    503,
    'model_unreachable',
    'The connection to the machine that serves the model was lost. The answer may be incomplete.',
  );
}

function messageIn(body: string): string | undefined {
  const value = parsed(body);
  const inner = memberOf(value, 'error') ?? value;
  const found = [inner, memberOf(inner, 'message'), memberOf(value, 'detail')].find(
    (one): one is string => typeof one === 'string' && one.trim() !== '',
  );
  return found?.trim();
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function parsed(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
