import type { Client } from '../../src/api/client';
import { createClient } from '../../src/api/createClient';
import type { HttpPolicy } from '../../src/api/policy';
import type { Transport } from '../../src/api/transport';
import { UndiciTransport } from '../../src/api/undiciTransport';
import { systemClock, type Clock } from '../../src/util/clock';
import { MemoryLog } from './fakeTransport';
import { useSimulators, type TestSimulator, type TestSimulatorOptions } from './startSimulator';

/** The real rules with short waits, so that contract tests need no patience. */
export const quickPolicy: Partial<HttpPolicy> = {
  timeoutMs: 10_000,
  backOffMs: 1,
  unknownLimitMs: 5,
  limits: {},
  resultPollMs: 20,
  resultWaitMs: 5_000,
};

export interface TestClient {
  readonly client: Client;
  readonly log: MemoryLog;
}

/** Clients over real sockets and their simulators, closed after each test of the suite that calls this. */
export function useClients(): {
  /** A simulator with a client of its account. */
  start(options?: TestSimulatorOptions): Promise<TestClient & { readonly simulator: TestSimulator }>;
  connect(
    simulator: { readonly url: string; readonly apiKey: string },
    options?: { readonly policy?: Partial<HttpPolicy>; readonly key?: string; readonly clock?: Clock },
  ): TestClient;
} {
  const simulators = useSimulators();
  const open: Transport[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((transport) => transport.close()));
  });
  const clients: ReturnType<typeof useClients> = {
    start: async (options) => {
      const simulator = await simulators.start(options);
      return { simulator, ...clients.connect(simulator) };
    },
    connect: (simulator, options = {}) => {
      const transport = new UndiciTransport();
      open.push(transport);
      const log = new MemoryLog();
      const client = createClient({
        baseUrl: simulator.url,
        bearer: () => Promise.resolve(options.key ?? simulator.apiKey),
        transport,
        clock: options.clock ?? systemClock,
        log,
        policy: { ...quickPolicy, ...options.policy },
      });
      return { client, log };
    },
  };
  return clients;
}
