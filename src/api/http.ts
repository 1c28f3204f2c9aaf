import type * as z from 'zod';
import type { Log } from '../util/log';

/** Whether a call may be repeated: reads are, writes are sent once (docs/rules.md#a-rental-is-sent-once). */
export type Repeat = 'read' | 'write';

export interface CallOptions {
  /** Stops the call, its waits and its retries. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a call waits for the rate limit, so that the wait can be shown. */
  readonly onWait?: ((waitMs: number) => void) | undefined;
  /**
   * Called with the headers of each answer, names in lower case, and its time by
   * this computer's clock (ms since 1970); the `date` is the service's clock.
   */
  readonly onHeaders?: (headers: Readonly<Record<string, string>>, now: number) => void;
  /**
   * A read in the background: requests of the user are sent first, and while the
   * service fails it rejects with the known failure instead of being sent.
   */
  readonly isUnasked?: boolean | undefined;
  /** Called right before the request is sent, after every wait; false ends the call unsent with `CancelledError`. */
  readonly isStillWanted?: (() => Promise<boolean>) | undefined;
  /** Another bearer than the account's, for `instance_api_key` and second-factor sessions. */
  readonly bearer?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Exact path below the base URL, built with the `path` tag. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** The rate-limit bucket: method and path pattern, for example "PUT /api/v0/asks/{id}/". */
  readonly route: string;
  readonly repeat: Repeat;
  /** Accepts a JSON object although its status or `success` reports a failure. */
  readonly accept?: (body: unknown) => boolean;
  /** Called each time the request is about to leave; until then nothing can have taken effect. */
  readonly onSend?: () => void;
  /** Called when the service refused in a way that promises no effect, and the call may continue. */
  readonly onRefused?: () => void;
  /** Called before a refused call is sent again; false passes the refusal on. */
  readonly beforeAgain?: (() => Promise<boolean>) | undefined;
}

/** What a resource file of `api` needs; errors are `ApiError` subclasses or `CancelledError`. */
export interface Http {
  /** For details that the user need not see: skipped records, odd answers. Never a value or a key. */
  readonly log: Log;
  /** Sends, maps failures, and parses the JSON answer with the schema. */
  call<T>(request: ApiRequest, schema: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /**
   * Reads the text behind a `result_url` without the key, and waits until it has been written
   * (docs/service/commands.md#result-file).
   */
  fetchResult(url: string, options?: CallOptions): Promise<string>;
}
