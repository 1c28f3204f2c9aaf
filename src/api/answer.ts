import { permissionNamedIn, permissionOfRoute } from '../model/accounts/routePermissions';
import { deepestJson } from '../util/json';
import { text } from '../util/text';
import { authErrorCode, deprecatedEndpointCode, errorBody, type ErrorBody } from '../wire/error';
import { codeInText, isVague, meaningOf, type CodeMeaning } from './errorCodes';
import {
  ForbiddenError,
  GoneError,
  NotFoundError,
  NotUnderstoodError,
  RateLimitedError,
  RefusedError,
  ServiceFailedError,
  UnauthorizedError,
  type ApiError,
} from './errors';
import { secondsAhead } from './serviceClock';
import { cleanServiceText, ended } from './serviceText';
import type { TransportResponse } from './transport';

export interface AnswerContext {
  readonly route: string;
  readonly isWrite?: boolean | undefined;
  /** Removed from the service's texts before they are shown. */
  readonly secrets: readonly string[];
  /** Accepts a body although the status or `success` reports a failure. */
  readonly accept?: ((body: unknown) => boolean) | undefined;
  /** When the answer arrived, by this computer's clock (ms since 1970). */
  readonly now: number;
}

/**
 * Codes of a failure even when the status is 200 and `success: false` is missing
 * (docs/service/instances.md#list).
 */
const alwaysFailures: ReadonlySet<string> = new Set([authErrorCode, deprecatedEndpointCode]);

const rateLimitCode = 'rate_limit_exceeded';

/** The missing permission depends on the call, so its sentence is made for the call. */
const notAuthorizedCode = 'not_authorized';

export type Answer =
  { readonly kind: 'body'; readonly body: unknown } | { readonly kind: 'failed'; readonly error: ApiError };

interface Failure {
  readonly route: string;
  readonly isWrite: boolean | undefined;
  readonly status: number;
  readonly code: string | undefined;
  /** The code was guessed from the words or the status, perhaps wrongly, so the words are shown as well. */
  readonly isGuessed: boolean;
  readonly serviceText: string | undefined;
}

/** The attempts that an answer about a locked method states, by this computer's clock. */
type Attempts = Pick<RefusedError, 'failCount' | 'lockedUntil'>;

/** Longest wait that a service may ask for in its headers. */
const longestRetryAfterSeconds = 3600;

/** Characters at the end of a refusal that may hold the wait. */
const longestEnding = 40;

/**
 * Decides what an answer means. The `error` code counts before the status, and
 * `auth_error` before any other code. A body with nothing but a `detail` about
 * frequency is a rate limit with any status (docs/service/errors.md#rate-limit-body).
 */
export function readAnswer(response: TransportResponse, context: AnswerContext): Answer {
  const { status } = response;
  const body = parseJson(response.text);
  const fields = body.ok && isObject(body.value) ? errorBody.safeParse(body.value).data : undefined;
  const failure = describe(response, body, fields, context);
  if (body.ok && fields && context.accept?.(body.value) === true) {
    return { kind: 'body', body: body.value };
  }
  if (isRateLimit(status, body, fields, failure)) {
    return {
      kind: 'failed',
      error: new RateLimitedError({ ...failure, ...askedTimes(response, fields) }),
    };
  }
  const isRefused =
    fields?.success === false || (failure.code !== undefined && alwaysFailures.has(failure.code));
  if (status >= 200 && status < 300 && !isRefused) {
    return body.ok
      ? { kind: 'body', body: status === 204 && context.isWrite === true ? {} : body.value }
      : { kind: 'failed', error: new NotUnderstoodError({ ...failure, unreadable: true }) };
  }
  const isPage = !body.ok && /^\s*<(?:!doctype|html)\b/i.test(response.text);
  const attempts = fields && attemptsOf(fields, response, context);
  return { kind: 'failed', error: isPage ? toErrorOfPage(failure) : toError(failure, attempts) };
}

function describe(
  response: TransportResponse,
  body: ParsedJson,
  fields: ErrorBody | undefined,
  context: AnswerContext,
): Failure {
  const { status } = response;
  // A secret in the place of a code is not a code.
  const named =
    fields?.error !== undefined &&
    /^[a-z0-9_]{2,64}$/i.test(fields.error) &&
    !context.secrets.includes(fields.error)
      ? fields.error
      : undefined;
  const message =
    fields?.msg ??
    fields?.message ??
    (named === undefined ? fields?.error : undefined) ??
    fields?.detail ??
    bareText(response, body);
  const serviceText = message === undefined ? undefined : cleanServiceText(message, context.secrets);
  const isRefusal = !isNoAnswer(status) && (status >= 400 || fields?.success === false);
  const isOpen = named === undefined || isVague(named) || meaningOf(named) === undefined;
  const known = isRefusal && isOpen ? (codeInText(serviceText ?? '') ?? codeOfStatus(status)) : undefined;
  return {
    route: context.route,
    isWrite: context.isWrite,
    status,
    code: known?.code ?? named,
    isGuessed: known?.isGuessed === true,
    serviceText,
  };
}

/** Some refusals are a bare text, in quotes or not. A page is not about the request. */
function bareText({ text: whole }: TransportResponse, body: ParsedJson): string | undefined {
  if (body.ok) {
    return typeof body.value === 'string' ? body.value : undefined;
  }
  return /^\s*[<{[]/.test(whole) ? undefined : whole;
}

/** "Payment required" is about the account, with any other code or text. */
function codeOfStatus(status: number): ReturnType<typeof codeInText> {
  return status === 402 ? { code: 'insufficient_credit', isGuessed: true } : undefined;
}

function isRateLimit(
  status: number,
  body: ParsedJson,
  fields: ErrorBody | undefined,
  failure: Failure,
): boolean {
  // A failure inside the service may have taken effect, with any text.
  if (isNoAnswer(status)) {
    return false;
  }
  if (failure.code === rateLimitCode) {
    return true;
  }
  if (status === 429) {
    // `tfa_locked` and its like also use 429, and waiting seconds does not help there.
    return failure.code === undefined || meaningOf(failure.code) === undefined;
  }
  const onlyDetail = body.ok && isObject(body.value) && Object.keys(body.value).length === 1;
  if (!onlyDetail || fields?.detail === undefined) {
    return false;
  }
  // Other refusals have the same shape (docs/service/errors.md#rate-limit-body). Below
  // 400 the words do not matter, because nothing confirms that the call succeeded.
  return status < 400 || /frequent|threshold|too many/i.test(fields.detail);
}

/** A failure inside the service, or of a gateway that timed out: the effect of the request is unknown. */
function isNoAnswer(status: number): boolean {
  return status >= 500 || status === 408 || status === 499;
}

/** From `detail`, which ends in the seconds between two calls; or from `Retry-After`, which is about this call alone. */
function askedTimes(response: TransportResponse, fields: ErrorBody | undefined) {
  // Only the end is searched, because the pattern needs a minute for 200,000 digits.
  const ending = (fields?.detail ?? '').trimEnd().slice(-longestEnding);
  const threshold = /(?<!\d)(\d+(?:\.\d+)?)\s*s?\.?$/.exec(ending)?.[1];
  if (threshold !== undefined) {
    const intervalMs = milliseconds(threshold);
    return { waitMs: intervalMs, intervalMs };
  }
  return { waitMs: milliseconds(response.headers['retry-after'] ?? '') };
}

function milliseconds(text: string): number | undefined {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 && seconds <= longestRetryAfterSeconds
    ? Math.ceil(seconds * 1000)
    : undefined;
}

function attemptsOf(
  { fail_count: failCount, locked_until: until }: ErrorBody,
  { headers }: TransportResponse,
  { now }: AnswerContext,
): Attempts {
  return { failCount, lockedUntil: until === undefined ? undefined : until + secondsAhead(headers, now) };
}

/** `attempts` is absent where the body is not an error object. */
function toError(failure: Failure, attempts: Attempts | undefined): ApiError {
  const { status, code } = failure;
  const meaning = code === undefined ? undefined : meaningOf(code, failure.route, status);
  if (isNoAnswer(status)) {
    // A documented code gives its sentence alone: such an answer is never a refusal.
    return status >= 500 && meaning?.kind === 'refused' && code !== rateLimitCode
      ? withMeaning(meaning, failure, attempts)
      : new ServiceFailedError(failure);
  }
  if (code === undefined && isSessionEnd(failure)) {
    return new UnauthorizedError({ ...failure, text: sessionEnded, nextStep: 'signIn' });
  }
  const lacking = permissionNamedIn(failure.serviceText ?? '');
  // A key without a permission is also refused with 401, and the text names the permission.
  const isForbidden = status === 403 || (status === 401 && lacking !== undefined);
  if (code === notAuthorizedCode || (isForbidden && !meaning)) {
    return new ForbiddenError({
      ...failure,
      lacking,
      needed: permissionOfRoute(failure.route),
      ...(isAboutKey(failure, lacking) ? {} : notAllowed(failure)),
    });
  }
  if (meaning) {
    return withMeaning(meaning, failure, attempts);
  }
  if (status === 401) {
    return new UnauthorizedError(failure);
  }
  if (status === 404) {
    return new NotFoundError(failure);
  }
  if (status === 410) {
    return new GoneError(failure);
  }
  if (attempts || (status >= 400 && status < 500)) {
    return new RefusedError({ ...failure, ...attempts });
  }
  return new NotUnderstoodError(failure);
}

/** Codes with which services refuse a key without a permission, besides the documented one. */
const keyCodes = /^(?:auth_error|forbidden|unauthorized|not_authorized|permission_denied|access_denied)$/;

/** A code that is not documented may be about the account, and then another key would be refused as well. */
function isAboutKey({ code, serviceText }: Failure, lacking: string | undefined): boolean {
  const isKnown = code === undefined || keyCodes.test(code) || lacking !== undefined;
  return isKnown || /\b(?:keys?|permissions?|scopes?|roles?|IP|whitelist)\b/i.test(serviceText ?? '');
}

function notAllowed({ code = '', serviceText = code }: Failure) {
  return {
    text: text('The service refused the request, so nothing was done. It says: {0}', ended(serviceText)),
    nextStep: 'none',
  } as const;
}

/** The service never answers a request with a page (docs/service/errors.md#body). */
function toErrorOfPage(failure: Failure): ApiError {
  const { status } = failure;
  const isForeign = status >= 400 && !isNoAnswer(status) && ![401, 404, 410].includes(status);
  return isForeign
    ? new RefusedError({ ...failure, text: refusedByPage, nextStep: 'retry' })
    : toError(failure, undefined);
}

const refusedByPage = text(
  'The request was refused with a web page, which usually comes from a proxy or a firewall. Check the network connection and the service address.',
);

function withMeaning(meaning: CodeMeaning, failure: Failure, attempts: Attempts | undefined): ApiError {
  const { nextStep, consolePage } = meaning;
  const info = { ...failure, text: withServiceText(meaning, failure), nextStep, consolePage };
  switch (meaning.kind) {
    case 'unauthorized':
      return new UnauthorizedError(info);
    case 'forbidden':
      return new ForbiddenError(info);
    case 'notFound':
      return new NotFoundError(info);
    case 'gone':
      return new GoneError(info);
    case 'refused':
      return new RefusedError({ ...info, ...attempts });
  }
}

/** A vague or guessed code is followed by the service's own text. */
function withServiceText(meaning: CodeMeaning, { serviceText, code, isGuessed }: Failure) {
  return serviceText !== undefined && code !== undefined && (isGuessed || isVague(code))
    ? text('{0} The service says: {1}', meaning.text, ended(serviceText))
    : meaning.text;
}

const sessionEnded = text('The session has ended. Sign in again.');

/** An ended session is a 404 without a code (docs/service/authentication.md#sessions). */
function isSessionEnd(failure: Failure): boolean {
  return failure.status === 404 && /session expired/i.test(failure.serviceText ?? '');
}

type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

function parseJson(source: string): ParsedJson {
  if (source.trim() === '') {
    return { ok: true, value: undefined };
  }
  try {
    return { ok: true, value: withoutDepths(JSON.parse(source)) };
  } catch {
    return { ok: false };
  }
}

/** Removes values that are nested too deeply, so that the rest can be read. */
function withoutDepths(value: unknown, depth = 1): unknown {
  if (typeof value === 'object' && value !== null) {
    // A list of names for each of thousands of records would cost as much as parsing them.
    for (const name in value) {
      const inner: unknown = Reflect.get(value, name);
      if (typeof inner !== 'object' || inner === null) {
        continue;
      }
      if (depth < deepestJson) {
        withoutDepths(inner, depth + 1);
      } else {
        Reflect.set(value, name, null);
      }
    }
  }
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
