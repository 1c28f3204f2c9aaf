import type { LimitTable } from './limits';
import { documentedLimits } from './limits';

/** The numbers behind retries and waits; tests shorten them. */
export interface HttpPolicy {
  /** Total time for one try, from connecting to the last byte. */
  readonly timeoutMs: number;
  /** An answer may not be larger. */
  readonly maxBytes: number;
  /** How often a read is tried in all. */
  readonly readAttempts: number;
  /** First wait between two tries of a read; each further one is three times as long. */
  readonly backOffMs: number;
  /** How often a call is sent in all when the service answers with its rate limit. */
  readonly rateAttempts: number;
  /** The same for a read in the background. */
  readonly unaskedRateAttempts: number;
  /** Wait after a rate-limit refusal of a route with an unknown interval. */
  readonly unknownLimitMs: number;
  /**
   * How long a write that a person asked for may wait to be sent, for example for a 2FA code or while the computer
   * sleeps. The longest waits for the limits of the service are shorter.
   */
  readonly writeWaitMs: number;
  readonly limits: LimitTable;
  /** First pause between two reads of a result file; it grows up to eight times that. */
  readonly resultPollMs: number;
  /** Longest wait for a result file. */
  readonly resultWaitMs: number;
  readonly resultMaxBytes: number;
}

export const defaultPolicy: HttpPolicy = {
  timeoutMs: 30_000,
  maxBytes: 32 * 1024 * 1024,
  readAttempts: 3,
  backOffMs: 500,
  rateAttempts: 5,
  unaskedRateAttempts: 2,
  unknownLimitMs: 2_000,
  writeWaitMs: 10 * 60_000,
  limits: documentedLimits,
  resultPollMs: 400,
  resultWaitMs: 45_000,
  resultMaxBytes: 8 * 1024 * 1024,
};
