import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import {
  readLimited,
  toFailure,
  TransportFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport';
import { loadUndici, type UndiciParts } from './undiciParts';

export interface UndiciOptions {
  /** The proxy for a URL; `undefined` connects directly. */
  readonly proxyFor?: (url: URL) => string | undefined;
  /** All certificate authorities to trust, as PEM, in place of the runtime's list; asked once. */
  readonly ca?: () => readonly string[] | undefined;
  /** Accepts any certificate of the proxy itself, never of the service. */
  readonly acceptAnyProxyCertificate?: boolean;
  /** Time to make a connection. */
  readonly connectTimeoutMs?: number;
}

/**
 * Through dispatchers of its own: for loopback, explicit proxies, and outside an extension host.
 * The library is loaded with the first request, and the global dispatcher is left alone.
 */
export class UndiciTransport implements Transport {
  /** By proxy address; the empty text means direct. */
  private readonly dispatchers = new Map<string, Dispatcher>();
  private authorities: { readonly list: readonly string[] | undefined } | undefined;
  private closed = false;

  constructor(private readonly options: UndiciOptions = {}) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    try {
      const undici = await loadUndici();
      const response = await this.dispatcherFor(undici, request.url).request({
        origin: request.url.origin,
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal: request.signal,
        headersTimeout: request.timeoutMs,
        bodyTimeout: request.timeoutMs,
      });
      try {
        const headers = singleValues(response.headers);
        const text = await readLimited(decoded(response.body, headers), request.maxBytes);
        return { status: response.statusCode, headers, text };
      } finally {
        response.body.destroy();
      }
    } catch (error) {
      throw this.named(toFailure(error, request.signal), request.url);
    }
  }

  /** Behind a proxy with a certificate of its own, the library does not report which of the two was refused. */
  private named(failure: TransportFailure, url: URL): TransportFailure {
    const proxyHasCertificate = /^https:/i.test(this.options.proxyFor?.(url) ?? '');
    return failure.kind === 'certificate' &&
      proxyHasCertificate &&
      this.options.acceptAnyProxyCertificate !== true
      ? new TransportFailure('someCertificate', failure.code, { cause: failure.cause })
      : failure;
  }

  async close(): Promise<void> {
    this.closed = true;
    const open = [...this.dispatchers.values()];
    this.dispatchers.clear();
    await Promise.all(open.map((dispatcher) => dispatcher.close()));
  }

  private dispatcherFor(undici: UndiciParts, url: URL): Dispatcher {
    if (this.closed) {
      throw new TransportFailure('aborted', 'CLOSED');
    }
    const proxy = this.options.proxyFor?.(url) ?? '';
    const known = this.dispatchers.get(proxy);
    if (known) {
      return known;
    }
    const made = proxy === '' ? this.direct(undici) : this.throughProxy(undici, proxy);
    this.dispatchers.set(proxy, made);
    return made;
  }

  private direct(undici: UndiciParts): Dispatcher {
    return new undici.Agent({ ...this.common(), connect: { ...this.connect(), ...this.trust() } });
  }

  private throughProxy(undici: UndiciParts, proxy: string): Dispatcher {
    return new undici.ProxyAgent({
      ...this.common(),
      uri: proxy,
      requestTls: { ...this.connect(), ...this.trust() },
      proxyTls: {
        ...this.connect(),
        ...this.trust(),
        ...(this.options.acceptAnyProxyCertificate === true ? { rejectUnauthorized: false } : {}),
      },
    });
  }

  private common() {
    return { connections: 4, pipelining: 1, allowH2: false } as const;
  }

  private connect() {
    return { timeout: this.options.connectTimeoutMs ?? 10_000 };
  }

  private trust() {
    this.authorities ??= { list: this.options.ca?.() };
    const { list } = this.authorities;
    return list === undefined ? {} : { ca: [...list] };
  }
}

/** Nothing asks for a compressed answer, but gateways may send one anyway; `fetch` reads it by itself. */
function decoded(body: Readable, headers: Readonly<Record<string, string>>): AsyncIterable<Uint8Array> {
  const decoder = decoders.get(headers['content-encoding']?.trim().toLowerCase() ?? '')?.();
  // A failure of the body ends the decoder, and with it the reading.
  return decoder === undefined ? body : pipeline(body, decoder, () => undefined);
}

const decoders = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

function singleValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) {
      single[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
    }
  }
  return single;
}
