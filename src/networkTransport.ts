import { parseBaseUrl } from './api/baseUrl';
import {
  chooseTransport,
  createTransport,
  defaultNetworkSettings,
  type NetworkSettings,
} from './api/chooseTransport';
import type { Transport, TransportRequest, TransportResponse } from './api/transport';
import type { SettingsReader } from './editor/settings';
import { DisposableStore, type Disposable } from './util/disposable';

/** Follows the editor's network settings: a change takes effect with the next request. */
export class NetworkTransport implements Transport, Disposable {
  private current: Transport | undefined;
  private readonly store = new DisposableStore();

  constructor(
    private readonly serviceUrl: string,
    private readonly settings: SettingsReader,
  ) {
    const renew = () => {
      const old = this.current;
      this.current = undefined;
      // Current requests may finish.
      void old?.close();
    };
    this.store.add(settings.onDidChange('http', renew));
    this.store.add(settings.onDidChange('gpuRental.network', renew));
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    this.current ??= createTransport(
      chooseTransport({
        baseUrl: parseBaseUrl(this.serviceUrl),
        settings: networkSettings(this.settings),
        env: process.env,
        inExtensionHost: true,
      }),
    );
    return this.current.send(request);
  }

  async close(): Promise<void> {
    this.store.dispose();
    await this.current?.close();
  }

  dispose(): void {
    void this.close();
  }
}

/** Returns the user's network settings; a value of the wrong type counts as not set. */
export function networkSettings(settings: SettingsReader): NetworkSettings {
  const text = (key: string, otherwise: string) => {
    const value = settings.foreign(key);
    return typeof value === 'string' ? value : otherwise;
  };
  const flag = (key: string, otherwise: boolean) => {
    const value = settings.foreign(key);
    return typeof value === 'boolean' ? value : otherwise;
  };
  const noProxy = settings.foreign('http.noProxy');
  return {
    transport: settings.get('gpuRental.network.transport'),
    proxy: text('http.proxy', defaultNetworkSettings.proxy),
    noProxy: Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [],
    proxySupport: text('http.proxySupport', defaultNetworkSettings.proxySupport),
    proxyStrictSSL: flag('http.proxyStrictSSL', defaultNetworkSettings.proxyStrictSSL),
    systemCertificates: flag('http.systemCertificates', defaultNetworkSettings.systemCertificates),
  };
}
