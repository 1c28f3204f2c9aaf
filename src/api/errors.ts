import type { PermissionCategory } from '../model/accounts/apiKey';
import { UserError, type ConsolePageName, type NextStep } from '../util/errors';
import { text, type Text } from '../util/text';
import { ended } from './serviceText';

/** What is known about a failed call. `text` and `nextStep` replace the sentence of the class. */
export interface ApiErrorInfo {
  /** Method and path pattern of the call. */
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  /** The service's machine-readable `error`. */
  readonly code?: string | undefined;
  /** The service's own words, cleaned for display. */
  readonly serviceText?: string | undefined;
  readonly text?: Text | undefined;
  readonly nextStep?: NextStep | undefined;
  readonly consolePage?: ConsolePageName | undefined;
  readonly cause?: unknown;
  /** A write without an answer may have taken effect, and its sentence states that. */
  readonly isWrite?: boolean | undefined;
}

/**
 * A call that failed, named for its cause. A cancelled call throws `CancelledError` of
 * `util/errors` instead, and nothing else than these two leaves this folder.
 */
export abstract class ApiError extends UserError {
  readonly route: string | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly serviceText: string | undefined;

  constructor(sentence: Text, nextStep: NextStep, info: ApiErrorInfo) {
    super(info.text ?? sentence, {
      nextStep: info.nextStep ?? nextStep,
      consolePage: info.consolePage,
      cause: info.cause,
    });
    this.route = info.route;
    this.status = info.status;
    this.code = info.code;
    this.serviceText = info.serviceText;
  }
}

/** No connection, or it was lost. `wasSent` is false where the request certainly did not leave. */
export class NotReachableError extends ApiError {
  readonly wasSent: boolean;
  /** False if trying again at once can't help, for example an untrusted certificate. */
  readonly transient: boolean;

  constructor(info: ApiErrorInfo & { readonly wasSent?: boolean; readonly transient?: boolean } = {}) {
    super(
      text('The service could not be reached. Check the network connection and try again.'),
      'retry',
      info,
    );
    this.wasSent = info.wasSent ?? true;
    this.transient = info.transient ?? true;
  }
}

/** No complete answer in time; the effect of a write is unknown. */
export class TimedOutError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      info.isWrite === true
        ? text(
            'The service did not answer in time, so the request may have taken effect. Check before you try again.',
          )
        : text('The service did not answer in time. Try again in a moment.'),
      'retry',
      info,
    );
  }
}

/** The service did not accept the key or the session (docs/service/authentication.md#refused-keys). */
export class UnauthorizedError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      text(
        'The service did not accept the API key. It is wrong, expired or revoked, lacks a permission, or its list of IP addresses leaves this computer out. Use another key.',
      ),
      'replaceKey',
      info,
    );
  }
}

/** The key is valid but lacks a permission (docs/service/authentication.md#refused-keys). */
export class ForbiddenError extends ApiError {
  /** The permission that the service itself reports as missing. */
  readonly lacking: PermissionCategory | undefined;

  constructor(
    info: ApiErrorInfo & {
      readonly lacking?: PermissionCategory | undefined;
      /** The permission that the call needs, where it is known. */
      readonly needed?: PermissionCategory | undefined;
    } = {},
  ) {
    super(forbiddenText(info.lacking ?? info.needed, info.serviceText), 'replaceKey', info);
    this.lacking = info.lacking;
  }
}

function forbiddenText(permission: PermissionCategory | undefined, quoted: string | undefined): Text {
  const sentence = /\bIP\b|whitelist/i.test(quoted ?? '')
    ? text(
        'The API key is not allowed to be used from this computer: its list of IP addresses leaves it out. Use another key, or change the list in the web console.',
      )
    : permission === undefined
      ? text('The API key is not allowed to do this. Use a key with more permissions.')
      : text(
          'The API key is not allowed to do this. Use a key with more permissions; this one needs {0}.',
          permission,
        );
  return quoted === undefined ? sentence : text('{0} The service says: {1}', sentence, ended(quoted));
}

export class NotFoundError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      info.serviceText === undefined
        ? text('The service does not know what was asked for. Refresh and try again.')
        : text(
            'The service does not know what was asked for: {0} Refresh and try again.',
            ended(info.serviceText),
          ),
      'retry',
      info,
    );
  }
}

/** The thing existed and is gone, such as an offer that another user rented. */
export class GoneError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      info.serviceText === undefined
        ? text('This is no longer available. Refresh and choose another.')
        : text('This is no longer available: {0} Refresh and choose another.', ended(info.serviceText)),
      'retry',
      info,
    );
  }
}

/** Too many requests, and waiting did not help; the request had no effect. */
export class RateLimitedError extends ApiError {
  /** Least time until the next try; `undefined` where the service gave none. */
  readonly waitMs: number | undefined;
  /** Least time between any two calls of the route, where the service named it. */
  readonly intervalMs: number | undefined;

  constructor(
    info: ApiErrorInfo & {
      readonly waitMs?: number | undefined;
      readonly intervalMs?: number | undefined;
    } = {},
  ) {
    super(text('The service refuses more requests for now. Wait a minute and try again.'), 'retry', info);
    this.waitMs = info.waitMs;
    this.intervalMs = info.intervalMs;
  }
}

/** The service understood the request and refused it. Known codes have their sentence in `errorCodes.ts`. */
export class RefusedError extends ApiError {
  /**
   * Number of wrong codes so far, and the Unix time in seconds, by this computer's clock, until which the method is locked
   * (docs/service/two-factor.md#lockout).
   */
  readonly failCount: number | undefined;
  readonly lockedUntil: number | undefined;

  constructor(
    info: ApiErrorInfo & {
      readonly failCount?: number | undefined;
      readonly lockedUntil?: number | undefined;
    } = {},
  ) {
    super(refusedText(info), 'none', info);
    this.failCount = info.failCount;
    this.lockedUntil = info.lockedUntil;
  }
}

/** Returns the sentence for an unknown refusal. Its cause is unknown, so it blames nothing, least of all a value. */
function refusedText({ serviceText, code }: ApiErrorInfo): Text {
  const quoted = serviceText ?? code;
  if (quoted === undefined) {
    return text('The service refused the request and gave no reason. Nothing was done.');
  }
  return text('The service refused the request, so nothing was done. It says: {0}', ended(quoted));
}

/** A failure inside the service (5xx); the effect of a write is unknown. */
export class ServiceFailedError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      info.isWrite === true
        ? text(
            'The service has a problem of its own, so the request may have taken effect. Check before you try again.',
          )
        : text('The service has a problem of its own. Try again in a few minutes.'),
      'retry',
      info,
    );
  }
}

/** An answer that does not match the documented form. The effect of a write that got it is unknown. */
export class NotUnderstoodError extends ApiError {
  /** True if the answer was cut off or no JSON at all, which a second try may mend. */
  readonly unreadable: boolean;

  constructor(info: ApiErrorInfo & { readonly unreadable?: boolean } = {}) {
    super(
      info.isWrite === true
        ? text(
            'The service sent an answer that could not be understood, so the request may have taken effect. Check before you try again.',
          )
        : text(
            'The service sent an answer that could not be understood. Check the service address, then try again.',
          ),
      'showLog',
      info,
    );
    this.unreadable = info.unreadable ?? false;
  }
}

/**
 * Returns whether a failed write may have taken effect: there was no answer, an invalid one,
 * or a failure inside the service. Everything else is a refusal, which promises no effect.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  return (
    (error instanceof NotReachableError && error.wasSent) ||
    error instanceof TimedOutError ||
    error instanceof ServiceFailedError ||
    error instanceof NotUnderstoodError ||
    // Only a status of the 4xx class promises that the request was turned away.
    (error instanceof RateLimitedError && (error.status ?? 429) < 400) ||
    (error instanceof ApiError && (error.status ?? 0) >= 500)
  );
}

/**
 * Runs a write. If its answer is lost, the failure states in this sentence what is
 * unknown; the general sentence would read as if nothing had happened.
 */
export async function explainingIfLost<T>(sentence: Text, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw mayHaveTakenEffect(error) ? new UserError(sentence, { cause: error }) : error;
  }
}

/** Refused here, before anything was sent, because the service would not accept it. */
export class NotSentError extends ApiError {
  constructor(sentence: Text, info: ApiErrorInfo = {}) {
    super(sentence, 'none', info);
  }
}

/** Thrown before anything is sent, because the request would take effect long after the user made it. */
export class WaitedTooLongError extends NotSentError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      text(
        'The request waited for more than 10 minutes and was not sent, so nothing was changed. Try again if you still want it.',
      ),
      info,
    );
  }
}

/**
 * The rental was sent and its outcome is unknown. The caller reads the instances back by the label before it
 * reports anything (docs/rules.md#a-rental-is-sent-once).
 */
export class RentOutcomeUnknownError extends ApiError {
  constructor(info: ApiErrorInfo = {}) {
    super(
      text(
        'The service did not answer, so the instance may have been rented. Check your instances before you rent again.',
      ),
      'none',
      info,
    );
  }
}
