import { ServiceError, type Route, type SimRequest } from './route';

interface Bucket {
  left: number;
  /** Milliseconds. */
  filledAt: number;
}

/**
 * The least time between two calls of one key to one endpoint (docs/service/limits.md#request-rates). A
 * refused call does not count, so waiting the named seconds is always enough.
 */
export class RateLimits {
  private readonly buckets = new Map<string, Bucket>();

  constructor(private readonly now: () => number) {}

  /** @throws ServiceError whose body is the documented `detail`. */
  check(route: Route, request: SimRequest): void {
    const threshold = route.everySeconds;
    if (threshold === undefined) {
      return;
    }
    const who = request.caller ? `key ${request.caller.keyId}` : `address ${request.remoteAddress}`;
    const what = route.limitPerPath ? request.path.replace(/\/$/, '') : route.path;
    const id = `${who} ${route.method} ${what}`;
    const capacity = route.burst ?? 1;
    const now = this.now();
    const bucket = this.buckets.get(id) ?? { left: capacity, filledAt: now };
    const gained = Math.max(0, now - bucket.filledAt) / (threshold * 1000);
    const left = Math.min(capacity, bucket.left + gained);
    // The millisecond of tolerance: clients count from when they sent, timers round.
    if (left + 0.001 / threshold < 1) {
      this.buckets.set(id, { left, filledAt: now });
      throw tooFrequent(threshold);
    }
    this.buckets.set(id, { left: Math.max(0, left - 1), filledAt: now });
  }
}

/** Returns the refusal, a body with `detail` alone (docs/service/errors.md#rate-limit-body). */
export function tooFrequent(thresholdSeconds: number): RateLimitError {
  return new RateLimitError(thresholdSeconds);
}

export class RateLimitError extends ServiceError {
  readonly detail: string;

  constructor(thresholdSeconds: number) {
    const detail = `API requests too frequent endpoint threshold=${thresholdSeconds.toFixed(1)}`;
    super(429, undefined, detail);
    this.name = 'RateLimitError';
    this.detail = detail;
  }
}
