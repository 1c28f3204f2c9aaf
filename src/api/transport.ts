/** One HTTP exchange; everything above (retries, limits, decoding) is the same for each transport. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the exchange; the caller's total time-out arrives through it too. */
  readonly signal: AbortSignal;
  /** Total time for the exchange, for the transports' own time-outs. */
  readonly timeoutMs: number;
  /** An answer with more bytes is a `tooLarge` failure. */
  readonly maxBytes: number;
}

export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request, follows no redirect, repeats nothing. Rejects with `TransportFailure`. */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Lets running exchanges end and closes idle connections. */
  close(): Promise<void>;
}

export type FailureKind =
  | 'notReachable'
  | 'lost'
  | 'timedOut'
  | 'aborted'
  | 'tooLarge'
  /** The certificate of the service was not accepted. */
  | 'certificate'
  /** The certificate of the service, or that of the proxy before it, was not accepted. */
  | 'someCertificate'
  /** The proxy refused, wants a login, or has a certificate that is not accepted. */
  | 'proxy'
  /** The settings ask for something that this transport can't do. */
  | 'unsupported';

/** Why there is no answer. */
export class TransportFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    /** The system's code, such as ECONNREFUSED; for the log. */
    readonly code: string | undefined,
    options?: ErrorOptions,
  ) {
    super(code === undefined ? kind : `${kind} (${code})`, options);
    this.name = 'TransportFailure';
  }
}

const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const timeoutCodes = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
/** Raised while a connection is made: the request can't have been sent. */
const connectCodes = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT']);

/** Names the cause of what a client library threw, looking through its `cause` chain. */
export function toFailure(error: unknown, signal: AbortSignal): TransportFailure {
  if (error instanceof TransportFailure) {
    return error;
  }
  if (signal.aborted) {
    return new TransportFailure('aborted', undefined, { cause: error });
  }
  for (const link of causes(error)) {
    const code = codeOf(link);
    const kind = kindOf(code, link);
    if (kind !== undefined) {
      return new TransportFailure(kind, code, { cause: error });
    }
  }
  return new TransportFailure('lost', codeOf(error), { cause: error });
}

function kindOf(code: string | undefined, error: unknown): FailureKind | undefined {
  if (/proxy response \(\d+\)|proxy/i.test(error instanceof Error ? error.message : '')) {
    return 'proxy';
  }
  if (code === undefined) {
    return undefined;
  }
  if (certificateCodes.has(code)) {
    return 'certificate';
  }
  const connecting =
    typeof error === 'object' && error !== null && 'syscall' in error && error.syscall === 'connect';
  if (connectCodes.has(code) || connecting) {
    return 'notReachable';
  }
  if (timeoutCodes.has(code)) {
    return 'timedOut';
  }
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'tooLarge' : undefined;
}

/** The error and what caused it, several addresses tried at once included. */
function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  const open: unknown[] = [error];
  while (open.length > 0 && found.length < 12) {
    const next = open.shift();
    if (next instanceof Error) {
      found.push(next);
      open.push(next.cause);
      if (next instanceof AggregateError) {
        open.push(...(next.errors as unknown[]));
      }
    }
  }
  return found;
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** Joins the chunks of an answer, giving up as soon as there are too many bytes. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new TransportFailure('tooLarge', undefined);
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
