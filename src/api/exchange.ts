import type { Clock } from '../util/clock';
import { CancelledError } from '../util/errors';
import type { Log } from '../util/log';
import { text } from '../util/text';
import { ApiError, NotReachableError, NotUnderstoodError, TimedOutError } from './errors';
import {
  toFailure,
  TransportFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport';

export interface Exchange extends Omit<TransportRequest, 'signal'> {
  readonly route: string;
  /** The request changes something: without an answer it may have taken effect. */
  readonly isWrite?: boolean;
  /** Returns where a redirect may lead, or throws; `undefined` means no place or too many redirects. */
  readonly follows?: (target: URL | undefined) => URL;
}

export interface ExchangeParts {
  readonly transport: Transport;
  readonly clock: Clock;
}

const mostRedirects = 3;

/**
 * Sends one request and returns its answer within the total time-out, even if the transport hangs.
 * Follows redirects inside the origin only, unless the request decides, and never one that changes
 * the method. Throws `NotReachableError`, `TimedOutError`, `NotUnderstoodError` or `CancelledError`.
 */
export async function exchange(
  request: Exchange,
  parts: ExchangeParts,
  signal?: AbortSignal,
): Promise<TransportResponse> {
  const controller = new AbortController();
  const ending = { timedOut: false };
  const abort = () => {
    controller.abort();
  };
  const timer = parts.clock.schedule(() => {
    ending.timedOut = true;
    abort();
  }, request.timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) {
      throw new CancelledError();
    }
    return await follow(request, parts.transport, controller.signal);
  } catch (error) {
    if (signal?.aborted) {
      throw new CancelledError();
    }
    if (ending.timedOut) {
      const { route, isWrite } = request;
      throw new TimedOutError({ route, isWrite, cause: error });
    }
    throw error instanceof ApiError ? error : fromFailure(toFailure(error, controller.signal), request);
  } finally {
    timer.dispose();
    signal?.removeEventListener('abort', abort);
  }
}

async function follow(
  request: Exchange,
  transport: Transport,
  signal: AbortSignal,
): Promise<TransportResponse> {
  let url = request.url;
  for (let redirects = 0; ; redirects += 1) {
    const response = await abortable(transport.send({ ...request, url, signal }), signal);
    if (response.status < 300 || response.status > 399 || response.status === 304) {
      return response;
    }
    const target = redirects < mostRedirects ? redirectTarget(response, url) : undefined;
    url = request.follows ? request.follows(target) : insideOrigin(target, url, response, request);
  }
}

function insideOrigin(
  target: URL | undefined,
  from: URL,
  { status }: TransportResponse,
  { method, route }: Exchange,
): URL {
  const keepsMethod = method === 'GET' || status === 307 || status === 308;
  if (target?.origin !== from.origin || !keepsMethod) {
    throw new NotUnderstoodError({
      route,
      status,
      nextStep: 'openSettings',
      text: text('The service address leads to another place. Check the service address and sign in again.'),
    });
  }
  return target;
}

function redirectTarget(response: TransportResponse, from: URL): URL | undefined {
  const location = response.headers['location'];
  return location !== undefined && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

/** Ends with the signal even if the transport does not. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      reject(new TransportFailure('aborted', undefined));
    };
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}

function fromFailure(failure: TransportFailure, request: Exchange): ApiError {
  const { route, isWrite } = request;
  const info = { route, isWrite, cause: failure };
  const misconfigured = { ...info, wasSent: false, transient: false, nextStep: 'openSettings' } as const;
  const host = request.url.host;
  switch (failure.kind) {
    case 'notReachable':
      return new NotReachableError({
        ...info,
        wasSent: false,
        text: text('{0} could not be reached. Check the network connection and the service address.', host),
      });
    case 'lost':
    case 'aborted':
      return new NotReachableError({
        ...info,
        text:
          isWrite === true
            ? text(
                'The connection to {0} was lost before the answer came, so the request may have taken effect. Check before you try again.',
                host,
              )
            : text('The connection to {0} was lost before the answer came. Try again.', host),
      });
    case 'timedOut':
      return new TimedOutError(info);
    case 'tooLarge':
      return new NotUnderstoodError({
        ...info,
        text:
          isWrite === true
            ? text(
                'The answer of {0} is too large to be read, so the request may have taken effect. Check before you try again.',
                host,
              )
            : text('The answer of {0} is too large to be read. Ask for less and try again.', host),
      });
    case 'certificate':
      return new NotReachableError({
        ...misconfigured,
        text: text(
          'The certificate of {0} is not trusted. Have your company certificate added to this computer, and see the setting http.systemCertificates; http.proxyStrictSSL does not change this.',
          host,
        ),
      });
    case 'someCertificate':
      return new NotReachableError({
        ...misconfigured,
        text: text(
          'The certificate of the proxy, or of {0} behind it, is not trusted. Have your company certificate added to this computer; the setting http.proxyStrictSSL concerns the proxy alone.',
          host,
        ),
      });
    case 'proxy':
      return new NotReachableError({
        ...misconfigured,
        text: text('The proxy did not let the request to {0} through. Check the setting http.proxy.', host),
      });
    case 'unsupported':
      return new NotReachableError({
        ...misconfigured,
        text: text('This kind of proxy is not supported here. Choose another one in the setting http.proxy.'),
      });
  }
}

/** Headers in which servers and proxies name a request, the service's own first. */
const idHeaders = ['x-request-id', 'x-correlation-id', 'x-amzn-requestid', 'x-amzn-trace-id', 'cf-ray'];

/** Logs each request with a number, its answer, its duration, and the service's id of it. */
export class RequestTrace {
  private count = 0;

  constructor(
    private readonly log: Log,
    private readonly clock: Clock,
  ) {}

  begin(route: string): {
    answered(response: Pick<TransportResponse, 'status' | 'headers'>): void;
    failed(error: unknown): void;
  } {
    this.count += 1;
    const name = `#${this.count} ${route}`;
    const since = this.clock.elapsed();
    const time = () => `${Math.round(this.clock.elapsed() - since)} ms`;
    return {
      answered: ({ status, headers }) => {
        const id = requestIdOf(headers);
        this.log.debug(`${name}: ${status} in ${time()}${id === undefined ? '' : `, service id ${id}`}`);
      },
      failed: (error) => {
        this.log.debug(`${name}: ${error instanceof Error ? error.name : 'no answer'} after ${time()}`);
      },
    };
  }
}

/** The service's id of a request, where its headers name one that can only be an id. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string | undefined {
  return idHeaders
    .map((name) => headers[name])
    .find((id) => id !== undefined && /^[\w:;=.-]{4,100}$/.test(id));
}
