import path from 'node:path';
import type { FaultOrder } from '../../src/simulator/faults';
import type { SimulatorOptions } from '../../src/simulator/options';
import type { ReceivedRequest } from '../../src/simulator/requestLog';
import { startSimulator as start, type RunningSimulator } from '../../src/simulator/server';
import { bundled } from './bundled';
import { FakeClock } from './fakeClock';
import { repository } from './installed';

export interface TestSimulator extends RunningSimulator {
  /** Present with `fakeClock`: moves the simulator's time, letting promises settle. */
  readonly fakeClock?: FakeClock;
  /** Orders a fault for the next matching request, or as often as `times` says. */
  fail(order: FaultOrder): void;
  /** Skips time: boots end, limits pass, money is taken. */
  advance(seconds: number): void;
  /** Requests that match, oldest first. */
  received(method?: string, path?: string | RegExp): readonly ReceivedRequest[];
  /** A call with the full key, or with `key`; the parsed answer and its status. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON; `undefined` where the text is none. */
  // Tests look into answers without a schema; the schemas are tested on their own.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export interface TestSimulatorOptions extends SimulatorOptions {
  /** Time stands still until the test moves it. */
  readonly fakeClock?: boolean;
}

/**
 * Starts a simulator in this process for one test; mocha's `afterEach` of the caller closes it:
 *
 *     const simulators = useSimulators();
 *     it('…', async () => { const simulator = await simulators.start(); … });
 *
 * Without limits and SSH unless asked for: `{ limits: true, sshServer: true }`.
 */
export function useSimulators(): { start(options?: TestSimulatorOptions): Promise<TestSimulator> } {
  const running: RunningSimulator[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((simulator) => simulator.close()));
  });
  return {
    start: async (options = {}) => {
      const simulator = await startTestSimulator(options);
      running.push(simulator);
      return simulator;
    },
  };
}

/** As `useSimulators().start`, for a caller that closes it itself. */
export async function startTestSimulator(options: TestSimulatorOptions = {}): Promise<TestSimulator> {
  const { fakeClock: wantsFakeClock, ...rest } = options;
  const fakeClock = wantsFakeClock ? new FakeClock() : undefined;
  const errors: unknown[] = [];
  const simulator = await start({
    apiKey: 'test-key-0000',
    limits: false,
    sshServer: false,
    engineScript: () => bundled(path.join(repository, 'src/simulator/engine/main.ts')),
    engineStartMs: 500,
    onError: (error) => errors.push(error),
    ...(fakeClock ? { clock: fakeClock } : {}),
    ...rest,
  });
  const received = (method?: string, path?: string | RegExp) =>
    simulator
      .requests()
      .filter(
        (request) =>
          (method === undefined || request.method === method) &&
          (path === undefined ||
            (typeof path === 'string' ? request.path === path : path.test(request.path))),
      );
  return {
    url: simulator.url,
    port: simulator.port,
    apiKey: simulator.apiKey,
    world: simulator.world,
    faults: simulator.faults,
    orders: simulator.orders,
    lifecycle: simulator.lifecycle,
    requests: (since) => simulator.requests(since),
    heldBack: () => simulator.heldBack(),
    close: async () => {
      await simulator.close();
      if (errors.length > 0) {
        throw new AggregateError(errors, 'The simulator failed inside');
      }
    },
    ...(fakeClock ? { fakeClock } : {}),
    fail: (order) => {
      simulator.faults.add(order);
    },
    advance: (seconds) => {
      simulator.world.clock.advance(seconds * 1000);
    },
    received,
    call: (method, path, body, key = simulator.apiKey) => call(simulator.url + path, method, body, key),
  };
}

/** For tests of the product: an order to the simulator itself that it refuses is a mistake of the test, and rejects. */
export function obeying(simulator: TestSimulator): TestSimulator {
  return {
    ...simulator,
    call: async (method, path, ...more) => {
      const answer = await simulator.call(method, path, ...more);
      if (path.startsWith('/__sim/') && answer.status >= 400) {
        throw new Error(`${method} ${path} was refused (${answer.status}): ${answer.text}`);
      }
      return answer;
    },
  };
}

async function call(url: string, method: string, body: unknown, key: string): Promise<TestAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
