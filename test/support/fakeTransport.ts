import type { Client } from '../../src/api/client';
import { createClient } from '../../src/api/createClient';
import type { HttpPolicy } from '../../src/api/policy';
import type { ClientHooks } from '../../src/api/serviceHttp';
import type { Transport, TransportRequest, TransportResponse } from '../../src/api/transport';
import type { Clock } from '../../src/util/clock';
import type { Log } from '../../src/util/log';
import { FakeClock } from './fakeClock';

export type Scripted =
  | { readonly status?: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status?: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  | { readonly error: Error }
  /** Never answers; ends only with the signal, or not even then. */
  | { readonly stalls: 'untilAborted' | 'forEver' };

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON. */
  readonly body: unknown;
  readonly atMs: number;
}

/** Gives the scripted answers in order, the last one again and again, and keeps what was asked. */
class FakeTransport implements Transport {
  readonly seen: SeenRequest[] = [];
  private next = 0;

  constructor(
    private readonly script: readonly Scripted[] | ((request: SeenRequest) => Scripted),
    private readonly clock: Clock,
  ) {}

  send(request: TransportRequest): Promise<TransportResponse> {
    const seen: SeenRequest = {
      method: request.method,
      url: request.url.href,
      headers: request.headers,
      body: request.body === undefined ? undefined : JSON.parse(request.body),
      atMs: this.clock.now(),
    };
    this.seen.push(seen);
    const answer = this.answerTo(seen);
    if ('error' in answer) {
      return Promise.reject(answer.error);
    }
    if ('stalls' in answer) {
      return new Promise((_, reject) => {
        if (answer.stalls === 'untilAborted') {
          request.signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        }
      });
    }
    const text = 'json' in answer ? JSON.stringify(answer.json) : answer.text;
    return Promise.resolve({ status: answer.status ?? 200, headers: answer.headers ?? {}, text });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private answerTo(seen: SeenRequest): Scripted {
    if (typeof this.script === 'function') {
      return this.script(seen);
    }
    const answer = this.script[Math.min(this.next, this.script.length - 1)];
    this.next += 1;
    if (!answer) {
      throw new Error('The script is empty');
    }
    return answer;
  }
}

/** A log that keeps its lines. */
export class MemoryLog implements Log {
  readonly lines: string[] = [];

  /** How many lines begin like this, the level included. */
  count(start: string): number {
    return this.lines.filter((line) => line.startsWith(start)).length;
  }

  readonly trace = (message: string) => void this.lines.push(`trace ${message}`);
  readonly debug = (message: string) => void this.lines.push(`debug ${message}`);
  readonly info = (message: string) => void this.lines.push(`info ${message}`);
  readonly warn = (message: string) => void this.lines.push(`warn ${message}`);
  readonly error = (message: string) => void this.lines.push(`error ${message}`);
}

export interface ScriptedClient {
  readonly client: Client;
  readonly transport: FakeTransport;
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  /** Moves time until the call has ended. */
  readonly finish: <T>(call: Promise<T>) => Promise<T>;
}

export const testKey = 'key-0123456789abcdef';

/** A client whose service is a script and whose time stands still until `finish` moves it. */
export function scriptedClient(
  script: readonly Scripted[] | ((request: SeenRequest) => Scripted),
  options: {
    readonly policy?: Partial<HttpPolicy>;
    readonly baseUrl?: string;
    readonly key?: string;
    readonly clock?: FakeClock;
  } & ClientHooks = {},
): ScriptedClient {
  const { policy, baseUrl, key, clock = new FakeClock(), ...hooks } = options;
  const transport = new FakeTransport(script, clock);
  const log = new MemoryLog();
  const client = createClient({
    baseUrl: baseUrl ?? 'https://market.example.com',
    bearer: () => Promise.resolve(key ?? testKey),
    transport,
    clock,
    log,
    random: () => 0.5,
    policy: policy ?? {},
    hooks,
  });
  return { client, transport, clock, log, finish: (call) => finish(clock, call) };
}

async function finish<T>(clock: FakeClock, call: Promise<T>): Promise<T> {
  const state = { done: false };
  const end = () => {
    state.done = true;
  };
  call.then(end, end);
  for (let step = 0; step < 2000 && !state.done; step += 1) {
    await clock.advance(step < 20 ? 250 : 5000);
  }
  if (!state.done) {
    throw new Error('The call did not end');
  }
  return call;
}
