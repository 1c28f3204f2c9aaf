import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import type { TransportResponse } from './transport';

/** Where servers and the proxies before them say how they call a request, the service's own first. */
const idHeaders = ['x-request-id', 'x-correlation-id', 'x-amzn-requestid', 'x-amzn-trace-id', 'cf-ray'];

/** Logs each request with a number, its answer, how long it took, and what the service calls it. */
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
