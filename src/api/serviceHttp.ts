import type * as z from 'zod';
import { stopwatch, wait, type Clock } from '../util/clock';
import type { Disposable } from '../util/disposable';
import { CancelledError } from '../util/errors';
import type { Log } from '../util/log';
import { text } from '../util/text';
import { schemaProblem } from '../wire/field';
import { readAnswer } from './answer';
import { resolveUrl } from './baseUrl';
import {
  ApiError,
  ForbiddenError,
  mayHaveTakenEffect,
  NotReachableError,
  NotUnderstoodError,
  RateLimitedError,
  RefusedError,
  ServiceFailedError,
  TimedOutError,
  UnauthorizedError,
  WaitedTooLongError,
} from './errors';
import { exchange, type Exchange, RequestTrace } from './exchange';
import type { ApiRequest, CallOptions, Http } from './http';
import type { PacedCall, Pacing } from './pacing';
import type { HttpPolicy } from './policy';
import { fetchResult } from './resultFile';
import { partsOf, secretsIn } from './sentSecrets';
import { cleanServiceText } from './serviceText';
import type { Transport, TransportResponse } from './transport';
import { noteWrite, type OnWrite } from './writeNote';

/**
 * Called when the key or the session was refused, once for each bearer of a call; true when another try has a chance. A
 * refusal promises that the call had no effect, so a write may be sent again as well.
 */
export type Recover = (refused: {
  readonly bearer: string;
  /** The same call was refused before, with another bearer. */
  readonly isAgain: boolean;
  readonly signal?: AbortSignal | undefined;
}) => Promise<boolean>;

/** The callbacks of a client. */
export interface ClientHooks {
  /** The pace of the account, shared by all windows; without it, the client keeps its own. */
  readonly pacing?: Pacing | undefined;
  readonly recover?: Recover | undefined;
  /** Called for each refusal of a valid key that lacks a permission. */
  readonly onForbidden?: ((error: ForbiddenError) => void) | undefined;
  /** Called with the secrets of a write, which nothing may repeat; the result is disposed of after the write. */
  readonly onSecrets?: ((values: readonly string[]) => Disposable) | undefined;
  /** Called before each read; throws if the key is known to lack the permission. */
  readonly beforeRead?: ((route: string) => void) | undefined;
  /** Called right before each write without `isStillWanted` is sent; throws to prevent it. */
  readonly beforeWrite?: (() => void) | undefined;
  readonly onWrite?: OnWrite | undefined;
}

export interface ServiceHttpParts {
  readonly baseUrl: URL;
  /** The key or session of the account; asked for each request and never kept. */
  readonly bearer: () => Promise<string>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly pacing: Pacing;
  readonly policy: HttpPolicy;
  readonly hooks: ClientHooks;
}

/** For how long after a call its values are still removed from what is written. */
const secretsKnownMs = 60_000;

/**
 * The rules above the transport: pacing, total time-out, what may be repeated, and what an answer
 * means. Reads are repeated with back-off; a write is repeated only after a rate-limit refusal,
 * which promises that it had no effect.
 */
export class ServiceHttp implements Http {
  readonly log: Log;
  private readonly trace: RequestTrace;

  constructor(private readonly parts: ServiceHttpParts) {
    this.log = parts.log;
    this.trace = new RequestTrace(parts.log, parts.clock);
  }

  call<T>(request: ApiRequest, schema: z.ZodType<T>, options: CallOptions = {}): Promise<T> {
    return noteWrite(this.parts.hooks.onWrite, request, options, (...noted) => this.parsed(schema, ...noted));
  }

  async fetchResult(url: string, options: CallOptions = {}): Promise<string> {
    return fetchResult(url, options, this.parts);
  }

  private async parsed<T>(schema: z.ZodType<T>, request: ApiRequest, options: CallOptions): Promise<T> {
    const body = await this.answered(request, options);
    const parsed = schema.safeParse(body);
    if (!parsed.success) {
      this.log.warn(`${request.route}: ${schemaProblem(parsed.error)}`);
      const isWrite = request.repeat === 'write';
      throw new NotUnderstoodError({ route: request.route, isWrite, status: 200 });
    }
    return parsed.data;
  }

  /** Sends until there is an answer, a refusal or no further try. */
  private async answered(request: ApiRequest, options: CallOptions): Promise<unknown> {
    const { pacing } = this.parts;
    const { route, repeat } = request;
    if (repeat === 'read' && options.bearer === undefined) {
      this.parts.hooks.beforeRead?.(route);
    }
    const call: PacedCall = { route, repeat, rank: options.isUnasked === true ? 1 : 0 };
    const sent = { count: 0 };
    const onSend = () => {
      sent.count += 1;
      request.onSend?.();
    };
    try {
      const body = await this.repeated({ ...request, onSend }, call, options);
      pacing.worked(route);
      return body;
    } catch (error) {
      if (sent.count > 0) {
        this.noteFailure(request, error);
      }
      throw error;
    }
  }

  private noteFailure({ route, repeat }: ApiRequest, error: unknown): void {
    const { pacing } = this.parts;
    if (repeat === 'read' && (error instanceof RateLimitedError || isTransient(error))) {
      const isOutOfReach = error instanceof NotReachableError || error instanceof TimedOutError;
      pacing.failed(route, error, isOutOfReach ? 'service' : 'route');
    } else if (error instanceof ApiError && error.status !== undefined) {
      pacing.worked(route);
    }
  }

  private async repeated(request: ApiRequest, call: PacedCall, options: CallOptions): Promise<unknown> {
    const { pacing, policy, clock, random } = this.parts;
    const tries = this.tries(call);
    let failures = 0;
    let refusals = 0;
    const refused = new Set<string>();
    const waitedMs = stopwatch(clock);
    for (;;) {
      await pacing.acquire(call, options);
      const bearer = options.bearer ?? (await this.parts.bearer());
      if ((await options.isStillWanted?.()) === false) {
        throw new CancelledError();
      }
      if (request.repeat === 'write' && !options.isStillWanted && options.bearer === undefined) {
        this.parts.hooks.beforeWrite?.();
        if (waitedMs() >= policy.writeWaitMs) {
          throw new WaitedTooLongError({ route: request.route });
        }
      }
      try {
        return await this.once(request, bearer, options);
      } catch (error) {
        if (request.repeat === 'write' && mayHaveTakenEffect(error)) {
          throw error;
        }
        if (error instanceof RateLimitedError || error instanceof UnauthorizedError) {
          request.onRefused?.();
        }
        if (error instanceof RateLimitedError) {
          refusals += 1;
          this.holdBack(request.route, error, refusals);
          if (refusals >= tries.refused) {
            throw error;
          }
          await mayGoAgain(request, error);
        } else if (mayRecover(error, options) && !refused.has(bearer)) {
          refused.add(bearer);
          if (!(await this.recovered(bearer, refused.size > 1, options.signal))) {
            throw error;
          }
          await mayGoAgain(request, error);
        } else if (request.repeat === 'read' && isTransient(error)) {
          failures += 1;
          if (failures >= tries.failed) {
            throw error;
          }
          const backOffMs = policy.backOffMs * 3 ** (failures - 1);
          await wait(clock, backOffMs * (0.75 + random() / 2), options.signal);
        } else {
          throw error;
        }
      }
    }
  }

  /** How often a call is sent; once for a call in the background that is known to fail. */
  private tries({ route, rank }: PacedCall): { readonly refused: number; readonly failed: number } {
    const { pacing, policy } = this.parts;
    if (rank > 0 && pacing.isFailing(route)) {
      return { refused: 1, failed: 1 };
    }
    return {
      refused: rank > 0 ? policy.unaskedRateAttempts : policy.rateAttempts,
      failed: policy.readAttempts,
    };
  }

  /** Slows the route down after a refusal; the next `acquire` does the waiting and shows it. */
  private holdBack(route: string, asked: RateLimitedError, refusals: number): void {
    const { pacing, policy } = this.parts;
    const leastMs = asked.waitMs ?? Math.max(pacing.intervalMs(route), policy.unknownLimitMs);
    const waitMs = leastMs * 2 ** (refusals - 1) + policy.backOffMs * this.parts.random();
    pacing.refused(route, waitMs, asked.intervalMs);
    this.log.debug(`${route}: rate limit, waiting ${Math.round(waitMs)} ms`);
  }

  private async recovered(
    bearer: string,
    isAgain: boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    return (await this.parts.hooks.recover?.({ bearer, isAgain, signal })) ?? false;
  }

  private async once(request: ApiRequest, bearer: string, options: CallOptions): Promise<unknown> {
    const sent: Exchange = {
      method: request.method,
      url: resolveUrl(this.parts.baseUrl, request.path, request.query),
      headers: headersOf(bearer, request),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      route: request.route,
      isWrite: request.repeat === 'write',
      timeoutMs: this.parts.policy.timeoutMs,
      maxBytes: this.parts.policy.maxBytes,
    };
    if (options.signal?.aborted) {
      throw new CancelledError();
    }
    const secrets = secretsIn(request);
    // Messages about the answer appear after it, so the values are kept a little longer than the call.
    const held = secrets.length === 0 ? undefined : this.parts.hooks.onSecrets?.(secrets);
    try {
      return await this.send(request, sent, [bearer, ...partsOf(secrets)], options);
    } finally {
      if (held) {
        this.parts.clock.schedule(() => held.dispose(), secretsKnownMs);
      }
    }
  }

  private async exchanged(sent: Exchange, options: CallOptions): Promise<TransportResponse> {
    const traced = this.trace.begin(sent.route);
    try {
      const response = await exchange(sent, this.parts, options.signal);
      traced.answered(response);
      return response;
    } catch (error) {
      traced.failed(error);
      throw error;
    }
  }

  private async send(
    request: ApiRequest,
    sent: Exchange,
    secrets: readonly string[],
    options: CallOptions,
  ): Promise<unknown> {
    request.onSend?.();
    const response = await this.exchanged(sent, options);
    const now = this.parts.clock.now();
    options.onHeaders?.(response.headers, now);
    const answer = readAnswer(response, {
      now,
      route: request.route,
      isWrite: request.repeat === 'write',
      secrets,
      accept: request.accept,
    });
    if (answer.kind === 'failed') {
      if (answer.error instanceof ForbiddenError) {
        this.parts.hooks.onForbidden?.(answer.error);
      }
      throw answer.error;
    }
    return withoutSecrets(answer.body, secrets);
  }
}

/** Removes quoted secrets from the texts of an answer, which may be shown. */
function withoutSecrets(body: unknown, secrets: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || !('msg' in body) || typeof body.msg !== 'string') {
    return body;
  }
  return { ...body, msg: cleanServiceText(body.msg, secrets) ?? '' };
}

function headersOf(bearer: string, request: ApiRequest): Record<string, string> {
  // Anything else would break the header line, or let a pasted text add one.
  if (!/^[\x21-\x7e]+$/.test(bearer)) {
    throw new UnauthorizedError({
      route: request.route,
      text: text('The API key contains characters that no key has. Copy it again from the web console.'),
    });
  }
  return {
    accept: 'application/json',
    authorization: `Bearer ${bearer}`,
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

async function mayGoAgain(request: ApiRequest, refusal: unknown): Promise<void> {
  if ((await request.beforeAgain?.()) === false) {
    throw refusal;
  }
}

/** Returns whether another bearer may be accepted: not if the call has its own. */
function mayRecover(error: unknown, options: CallOptions): boolean {
  return error instanceof UnauthorizedError && options.bearer === undefined;
}

/** Failures that another try of a read may mend. */
function isTransient(error: unknown): boolean {
  return (
    (error instanceof NotReachableError && error.transient) ||
    error instanceof TimedOutError ||
    error instanceof ServiceFailedError ||
    // A failure of the service with a documented code.
    (error instanceof RefusedError && (error.status ?? 0) >= 500) ||
    (error instanceof NotUnderstoodError && error.unreadable)
  );
}
