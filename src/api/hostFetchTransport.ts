import {
  readLimited,
  toFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport';

/**
 * Through the `fetch` of the host. In the editor that one knows the system's proxy and its login,
 * PAC files and the system's certificates, and takes no dispatcher (it would be replaced).
 */
export class HostFetchTransport implements Transport {
  /** The host may replace its `fetch` at any time, so it is looked up for each request. */
  constructor(private readonly hostFetch: () => typeof fetch = () => globalThis.fetch) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    try {
      const response = await this.hostFetch()(request.url, {
        method: request.method,
        headers: { ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: request.signal,
        redirect: 'manual',
        credentials: 'omit',
      });
      const text = response.body === null ? '' : await readLimited(response.body, request.maxBytes);
      return { status: response.status, headers: Object.fromEntries(response.headers), text };
    } catch (error) {
      throw toFailure(error, request.signal);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
