import type { Client } from './api/client';
import { createClient } from './api/createClient';
import { TransportFailure, type Transport } from './api/transport';
import { UndiciTransport } from './api/undiciTransport';
import type { DemoProcess } from './demo/demoProcess';
import { DemoTransport } from './demo/demoTransport';
import type { SettingsReader } from './editor/settings';
import { NetworkTransport } from './networkTransport';
import type { ClientFactory } from './store/accounts/accountClients';
import type { Clock } from './util/clock';
import type { Disposable } from './util/disposable';
import type { Log } from './util/log';
import type { Redactor } from './util/redact';

interface ClientParts {
  readonly own: <T extends Disposable>(item: T) => T;
  readonly demo: DemoProcess;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly settings: SettingsReader;
}

/** Makes the client of one account, over the network or for the demo on this computer. */
export function makeClient(
  { own, demo, clock, log, redactor, settings }: ClientParts,
  { serviceUrl, isDemo, bearer, hooks }: Omit<Parameters<ClientFactory>[0], 'accountKey'>,
): Client {
  return createClient({
    baseUrl: serviceUrl,
    transport: isDemo ? demoTransport(demo, clock) : own(new NetworkTransport(serviceUrl, settings)),
    clock,
    log,
    bearer,
    hooks: { ...hooks, onSecrets: (values) => redactor.hold(values) },
  });
}

/** Returns a transport without the editor's proxies and certificates, because the demo is on this computer. */
function demoTransport(demo: DemoProcess, clock: Clock): Transport {
  return new DemoTransport(
    new UndiciTransport(),
    demo,
    (error) => error instanceof TransportFailure && error.kind === 'notReachable',
    () => clock.now(),
  );
}
