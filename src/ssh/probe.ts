import { connect } from 'node:net';
import type { Clock } from '../util/clock';
import { CancelledError } from '../util/errors';
import type { Endpoint } from './endpoints';

/** The result of asking an address for an SSH greeting. Only `ssh` is certain. */
export type ProbeOutcome = 'ssh' | 'otherService' | 'refused' | 'timedOut' | 'unreachable' | 'closed';

export interface ProbeResult {
  readonly endpoint: Endpoint;
  readonly outcome: ProbeOutcome;
}

export type Probe = (endpoint: Endpoint, signal: AbortSignal) => Promise<ProbeOutcome>;

const greetingLimit = 8_192;

/** Connects and reads until the line that begins with `SSH-`; servers may send other lines before it. */
export const probeBanner: Probe = (endpoint, signal) =>
  new Promise((resolve) => {
    const socket = connect({ host: endpoint.host, port: endpoint.port });
    let greeting = '';
    const finish = (outcome: ProbeOutcome) => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      resolve(outcome);
    };
    const onAbort = () => finish('timedOut');
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      greeting += piece;
      if (/^SSH-/m.test(greeting)) {
        finish('ssh');
      } else if (greeting.length > greetingLimit || /^HTTP\//.test(greeting)) {
        finish('otherService');
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      finish(
        error.code === 'ECONNREFUSED' ? 'refused' : error.code === 'ETIMEDOUT' ? 'timedOut' : 'unreachable',
      );
    });
    socket.on('close', () => finish(greeting === '' ? 'closed' : 'otherService'));
  });

export interface EndpointChoice {
  /** `undefined` if none answered, which does not mean that none works: a jump host may be needed. */
  readonly best: Endpoint | undefined;
  /** The results that were known at the time of the choice. */
  readonly results: readonly ProbeResult[];
}

const probeTimeoutMs = 6_000;
/** How long a better address may still answer after a worse one did (ms). */
const preferenceMs = 1_500;

/** Probes all addresses at once and waits for each, up to the limit. */
export async function probeAll(
  endpoints: readonly Endpoint[],
  deps: { readonly probe: Probe; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<readonly ProbeResult[]> {
  const stop = new AbortController();
  const abort = () => {
    stop.abort();
  };
  const limit = deps.clock.schedule(abort, probeTimeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const results = await Promise.all(
      endpoints.map(async (endpoint) => ({ endpoint, outcome: await deps.probe(endpoint, stop.signal) })),
    );
    if (signal?.aborted) {
      throw new CancelledError();
    }
    return results;
  } finally {
    limit.dispose();
    signal?.removeEventListener('abort', abort);
  }
}

/** Probes all addresses at once and returns the first of the list that answers, without a long wait for it. */
export async function chooseEndpoint(
  endpoints: readonly Endpoint[],
  deps: { readonly probe: Probe; readonly clock: Clock },
  signal?: AbortSignal,
): Promise<EndpointChoice> {
  const stop = new AbortController();
  const outcomes: (ProbeOutcome | undefined)[] = endpoints.map(() => undefined);
  const results = () =>
    endpoints.flatMap((endpoint, index) => {
      const outcome = outcomes[index];
      return outcome === undefined ? [] : [{ endpoint, outcome }];
    });
  const best = await new Promise<Endpoint | undefined>((resolve, reject) => {
    const answered = () => endpoints.find((_, index) => outcomes[index] === 'ssh');
    const onAbort = () => reject(new CancelledError());
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    const limit = deps.clock.schedule(() => finish(answered()), probeTimeoutMs);
    let patience: { dispose(): void } | undefined;
    const finish = (endpoint: Endpoint | undefined) => {
      signal?.removeEventListener('abort', onAbort);
      limit.dispose();
      patience?.dispose();
      resolve(endpoint);
    };
    const decide = () => {
      const first = outcomes.findIndex((outcome) => outcome === 'ssh');
      if (first >= 0 && outcomes.slice(0, first).every((outcome) => outcome !== undefined)) {
        finish(endpoints[first]);
      } else if (outcomes.every((outcome) => outcome !== undefined)) {
        finish(undefined);
      } else if (first >= 0) {
        patience ??= deps.clock.schedule(() => finish(answered()), preferenceMs);
      }
    };
    decide();
    endpoints.forEach((endpoint, index) => {
      void deps.probe(endpoint, stop.signal).then((outcome) => {
        outcomes[index] = outcome;
        decide();
      }, reject);
    });
  }).finally(() => stop.abort());
  return { best, results: results() };
}
