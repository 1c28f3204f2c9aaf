import * as tls from 'node:tls';
import { isLoopback } from '../util/loopback';
import { proxyFor, type ProxyEnvironment, type ProxySettings } from './proxySettings';
import {
  readLimited,
  toFailure,
  TransportFailure,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport';
import { UndiciTransport } from './undiciTransport';

/** Values of the user's own settings; never those of a workspace. */
export interface NetworkSettings extends ProxySettings {
  /** `gpuRental.network.transport`. */
  readonly transport: 'auto' | 'vscode' | 'undici';
  /** `http.proxySupport`. */
  readonly proxySupport: string;
  /** `http.proxyStrictSSL`. */
  readonly proxyStrictSSL: boolean;
  /** `http.systemCertificates`. */
  readonly systemCertificates: boolean;
}

/** What VS Code has when nothing is set. */
export const defaultNetworkSettings: NetworkSettings = {
  transport: 'auto',
  proxy: '',
  noProxy: [],
  proxySupport: 'override',
  proxyStrictSSL: true,
  systemCertificates: true,
};

export type TransportChoice =
  | { readonly kind: 'hostFetch' }
  | {
      readonly kind: 'undici';
      /** Address of the proxy; may hold a password, so it is never logged. */
      readonly proxy: string | undefined;
      readonly acceptAnyProxyCertificate: boolean;
      readonly systemCertificates: boolean;
    }
  /** The explicit choice of the user can't work. */
  | { readonly kind: 'unsupported' };

interface TransportSituation {
  readonly baseUrl: URL;
  readonly settings: NetworkSettings;
  readonly env: ProxyEnvironment;
  /** False in tests and tools, where no host replaces `fetch`. */
  readonly inExtensionHost: boolean;
}

/**
 * Chooses the transport to one service. The host's `fetch` knows proxies and certificates that
 * no other client can know, so it is the default; our own dispatcher is for loopback, for an
 * explicit choice, and for a proxy whose certificate the user has decided not to check.
 */
export function chooseTransport(situation: TransportSituation): TransportChoice {
  const { baseUrl, settings, inExtensionHost } = situation;
  if (settings.transport === 'vscode') {
    return { kind: 'hostFetch' };
  }
  if (isLoopback(baseUrl.hostname)) {
    return undici(situation, undefined);
  }
  const proxy = proxyFor(baseUrl, settings, situation.env);
  const canUseProxy = proxy === undefined || isSupportedProxy(proxy);
  if (settings.transport === 'undici' || !inExtensionHost) {
    return canUseProxy ? undici(situation, proxy) : { kind: 'unsupported' };
  }
  if (settings.proxySupport === 'off') {
    return undici(situation, undefined);
  }
  // Only a proxy reached by https has a certificate of its own; the host has no option to accept it.
  return !settings.proxyStrictSSL && proxy !== undefined && /^https:/i.test(proxy)
    ? undici(situation, proxy)
    : { kind: 'hostFetch' };
}

function undici(situation: TransportSituation, proxy: string | undefined): TransportChoice {
  return {
    kind: 'undici',
    proxy,
    acceptAnyProxyCertificate: !situation.settings.proxyStrictSSL,
    systemCertificates: situation.settings.systemCertificates,
  };
}

/** `socks4`, `socks5h` and the like are beyond the library. */
function isSupportedProxy(proxy: string): boolean {
  return URL.canParse(proxy) && /^(https?|socks5):$/i.test(new URL(proxy).protocol);
}

/** Makes the transport of a choice. The caller closes it, for example when a setting changes. */
export function createTransport(
  choice: TransportChoice,
  certificates: () => readonly string[] | undefined = systemCertificates,
): Transport {
  switch (choice.kind) {
    case 'hostFetch':
      return new HostFetchTransport();
    case 'undici':
      return new UndiciTransport({
        // Results of commands may be on other hosts; a service on loopback has none of those.
        proxyFor: (url) => (isLoopback(url.hostname) ? undefined : choice.proxy),
        acceptAnyProxyCertificate: choice.acceptAnyProxyCertificate,
        ...(choice.systemCertificates ? { ca: certificates } : {}),
      });
    case 'unsupported':
      return {
        send: () => Promise.reject(new TransportFailure('unsupported', undefined)),
        close: () => Promise.resolve(),
      };
  }
}

/** The runtime's list with the system's, or `undefined` on runtimes that can't read the latter. */
function systemCertificates(): readonly string[] | undefined {
  // Absent before Node 22.15, although the types declare it.
  const read: ((type: 'default' | 'system') => string[]) | undefined = (
    tls as { getCACertificates?: (type: 'default' | 'system') => string[] }
  ).getCACertificates;
  return read && [...read('default'), ...read('system')];
}

/**
 * Sends through the `fetch` of the host. In the editor it knows the system's proxy and its login,
 * PAC files and the system's certificates, and accepts no dispatcher (the editor would replace it).
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
