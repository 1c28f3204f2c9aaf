import assert from 'node:assert/strict';
import { readAnswer, type Answer } from '../../../src/api/answer';
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
} from '../../../src/api/errors';

const route = 'GET /api/v0/users/current/';
const html = '<!DOCTYPE html><html><body>Bad gateway</body></html>';

function read(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer({ status, headers, text }, { route, secrets: ['s3cret-key-value'], now: 0 });
}

function errorOf(answer: Answer): ApiError {
  assert.equal(answer.kind, 'failed');
  return answer.error;
}

describe('the message for a refused key', () => {
  const refusal = (msg: string) => {
    const error = errorOf(read(403, { success: false, error: 'not_authorized', msg }));
    assert.ok(error instanceof ForbiddenError);
    return error;
  };

  it('is the permission that the service names', () => {
    const error = refusal('This key lacks the permission billing_read.');
    assert.equal(error.lacking, 'billing_read');
    assert.match(error.message, /not allowed.*more permissions.*billing_read/);
  });

  it('is the permission that the call needs, where the service names none', () => {
    const error = refusal('Nope.');
    assert.equal(error.lacking, undefined);
    assert.match(error.message, /needs user_read.*The service says: Nope\./);
  });

  it('is the IP whitelist, where the IP address is the reason, with the words of the service', () => {
    for (const said of ['This key may not be used from this IP address.', 'Not in ip_whitelist.']) {
      const error = refusal(said);
      assert.equal(error.lacking, undefined);
      assert.match(error.message, /list of IP addresses/);
      assert.ok(error.message.endsWith(`The service says: ${said}`), error.message);
    }
  });

  it('is nothing about the IP whitelist, where another address is the reason', () => {
    const { message } = errorOf(read(403, { success: false, msg: 'Verify your email address first.' }));
    assert.doesNotMatch(message, /list of IP addresses/);
    assert.match(message, /The service says: Verify your email address first\./);
  });

  it('is every possible cause, if the answer names none', () => {
    const causes = [/wrong/, /expired/, /revoked/, /permission/, /list of IP addresses/];
    for (const body of [
      { success: false, error: 'auth_error' },
      { success: false, msg: 'Unauthorized' },
    ]) {
      const { message } = errorOf(read(401, body));
      for (const cause of causes) {
        assert.match(message, cause);
      }
    }
  });
});

describe('the message for a page of a proxy or a firewall', () => {
  it('names its source, and nothing about the key', () => {
    const { message } = errorOf(read(403, html));
    assert.match(message, /proxy or a firewall\. Check the network connection/);
    assert.doesNotMatch(message, /key|permission/i);
  });
});

describe('readAnswer', () => {
  type Case = readonly [
    name: string,
    status: number,
    body: unknown,
    kind: new () => ApiError,
    nextStep: string,
  ];
  const cases: readonly Case[] = [
    ['401 without a code', 401, { success: false, msg: 'Unauthorized' }, UnauthorizedError, 'replaceKey'],
    [
      'auth_error with 404',
      404,
      { success: false, error: 'auth_error', msg: 'Invalid user key' },
      UnauthorizedError,
      'replaceKey',
    ],
    ['auth_error with 403', 403, { success: false, error: 'auth_error' }, UnauthorizedError, 'replaceKey'],
    ['auth_error with 200', 200, { success: false, error: 'auth_error' }, UnauthorizedError, 'replaceKey'],
    ['auth_error with 200 and no flag', 200, { error: 'auth_error' }, UnauthorizedError, 'replaceKey'],
    [
      'an ended session',
      404,
      { success: false, msg: 'Session expired. Please log in again.' },
      UnauthorizedError,
      'signIn',
    ],
    [
      '401 with only a detail about the sign-in',
      401,
      { detail: 'Not signed in.' },
      UnauthorizedError,
      'replaceKey',
    ],
    ['403', 403, { success: false, msg: 'No' }, ForbiddenError, 'replaceKey'],
    ['404 without a code', 404, html, NotFoundError, 'retry'],
    ['403 with a page', 403, html, RefusedError, 'retry'],
    [
      '403 with an older page',
      403,
      '\n<HTML><head><title>Blocked</title></head></HTML>',
      RefusedError,
      'retry',
    ],
    ['403 in plain text', 403, 'Forbidden', ForbiddenError, 'replaceKey'],
    ['405 with a page', 405, html, RefusedError, 'retry'],
    ['no_such_instance with 404', 404, { success: false, error: 'no_such_instance' }, NotFoundError, 'retry'],
    ['no_such_instance with 400', 400, { success: false, error: 'no_such_instance' }, NotFoundError, 'retry'],
    ['no_such_ask with 410', 410, { success: false, error: 'no_such_ask' }, GoneError, 'retry'],
    ['no_such_ask with 404', 404, { success: false, error: 'no_such_ask' }, GoneError, 'retry'],
    ['410 without a code', 410, '', GoneError, 'retry'],
    ['a withdrawn list with 200', 200, { success: false, error: 'deprecated_endpoint' }, GoneError, 'none'],
    [
      'a withdrawn list with 200 and no flag',
      200,
      { error: 'deprecated_endpoint', msg: 'use v1' },
      GoneError,
      'none',
    ],
    ['an unknown code with 400', 400, { success: false, error: 'brand_new' }, RefusedError, 'none'],
    ['success: false with 200', 200, { success: false, msg: 'Invalid date range' }, RefusedError, 'none'],
    ['HTTP 483', 483, { success: false, error: 'invalid_args' }, RefusedError, 'none'],
    ['500 with a page', 500, html, ServiceFailedError, 'retry'],
    ['502 without a body', 502, '', ServiceFailedError, 'retry'],
    [
      '500 with an unknown code',
      500,
      { success: false, error: 'internal_error' },
      ServiceFailedError,
      'retry',
    ],
    [
      '500 with a known code',
      500,
      { success: false, error: 'delete_ssh_from_instance' },
      RefusedError,
      'retry',
    ],
    ['a page with 200', 200, html, NotUnderstoodError, 'showLog'],
    ['a status that says nothing', 304, '', NotUnderstoodError, 'showLog'],
    ['cut-off JSON', 200, '{"id": 3, "ema', NotUnderstoodError, 'showLog'],
    ['429 in plain text', 429, 'API requests too frequent', RateLimitedError, 'retry'],
    ['429 as a JSON text', 429, '"API requests too frequent"', RateLimitedError, 'retry'],
    ['429 with an unknown code', 429, { success: false, error: 'slow_down' }, RateLimitedError, 'retry'],
    [
      'rate_limit_exceeded',
      429,
      { success: false, error: 'rate_limit_exceeded', msg: 'x' },
      RateLimitedError,
      'retry',
    ],
    ['a body with only a detail and status 400', 400, { detail: 'threshold=1.5' }, RateLimitedError, 'retry'],
    ['a detail that is not about frequency, with 404', 404, { detail: 'Not Found' }, NotFoundError, 'retry'],
    [
      'a detail that is not about frequency, with 403',
      403,
      { detail: 'Not authenticated' },
      ForbiddenError,
      'replaceKey',
    ],
    ['a detail that only ends in a number, with 400', 400, { detail: 'No machine 3' }, RefusedError, 'none'],
    [
      'a body with only a detail and status 200',
      200,
      { detail: 'API requests too frequent' },
      RateLimitedError,
      'retry',
    ],
    [
      'a body with only a detail and status 401 about frequency',
      401,
      { detail: 'too frequent threshold=2.0' },
      RateLimitedError,
      'retry',
    ],
    [
      'a failure of the service with only a detail',
      500,
      { detail: 'Internal Server Error' },
      ServiceFailedError,
      'retry',
    ],
    ['a gateway with only a detail', 503, { detail: 'no upstream 2' }, ServiceFailedError, 'retry'],
    [
      'a body with only a detail and status 503 about frequency',
      503,
      { detail: 'API requests too frequent endpoint threshold=2.0' },
      ServiceFailedError,
      'retry',
    ],
    ...([500, 502, 503, 408, 499] as const).flatMap((status) =>
      ['rate_limit_exceeded', 'auth_error', 'no_such_ask', 'no_such_instance', 'not_authorized'].map(
        (error): Case => [
          `${status} with the code ${error}`,
          status,
          { success: false, error, msg: 'API requests too frequent threshold=1.0' },
          ServiceFailedError,
          'retry',
        ],
      ),
    ),
    [
      'a locked second factor',
      429,
      { success: false, error: 'tfa_locked', fail_count: 5, locked_until: 1767225600 },
      RefusedError,
      'none',
    ],
    ['too many text messages', 429, { success: false, error: 'sms_rate_limited' }, RefusedError, 'none'],
  ];
  for (const [name, status, body, kind, nextStep] of cases) {
    it(`reads ${name} as ${kind.name}`, () => {
      const error = errorOf(read(status, body));
      assert.equal(error.constructor, kind);
      assert.equal(error.nextStep, nextStep);
      assert.match(error.message, /\.$/);
    });
  }

  it('gives the body of a success, with a flag or without', () => {
    assert.deepEqual(read(200, { success: true, a: 1 }), { kind: 'body', body: { success: true, a: 1 } });
    assert.deepEqual(read(201, [1]), { kind: 'body', body: [1] });
    assert.deepEqual(read(200, '"Successfully Deleted"'), { kind: 'body', body: 'Successfully Deleted' });
    assert.deepEqual(read(204, ''), { kind: 'body', body: undefined });
  });

  it('keeps a field named detail beside others out of the rate limit', () => {
    assert.equal(read(200, { detail: 'a machine', id: 3 }).kind, 'body');
  });

  it('reads a detail of 200,000 digits at once, and a record that is nested 20,000 deep', () => {
    const digits = { status: 429, headers: {}, text: JSON.stringify({ detail: '1'.repeat(200_000) + 'x' }) };
    const startedAt = performance.now();
    assert.equal(readAnswer(digits, { route: 'GET /x', secrets: [], now: 0 }).kind, 'failed');
    assert.ok(performance.now() - startedAt < 1000);
    const nested = `{"id":7,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const answer = readAnswer(
      { status: 200, headers: {}, text: nested },
      { route: 'GET /x', secrets: [], now: 0 },
    );
    assert.ok(answer.kind === 'body' && JSON.stringify(answer.body).startsWith('{"id":7'));
  });

  it('reads the wait from the end of the detail, else from the header', () => {
    const wait = (body: unknown, headers = {}) => {
      const error = errorOf(read(429, body, headers));
      return error instanceof RateLimitedError ? error.waitMs : 'another error';
    };
    assert.equal(wait({ detail: 'API requests too frequent endpoint threshold=2.5' }), 2500);
    assert.equal(wait({ detail: 'too frequent, 4 requests' }, { 'retry-after': '7' }), 7000);
    assert.equal(wait('too frequent', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }), undefined);
    assert.equal(wait('too frequent', { 'retry-after': '3600' }), 3_600_000);
    assert.equal(wait('too frequent', { 'retry-after': '3601' }), undefined);
    assert.equal(wait('too frequent'), undefined);
    assert.equal(wait({ detail: 'too frequent 0' }), undefined);
  });

  it('keeps the lock-out of a second factor', () => {
    const body = { success: false, error: '2fa_verification_failed', fail_count: 3, locked_until: null };
    const error = errorOf(read(400, body));
    assert.ok(error instanceof RefusedError);
    assert.deepEqual(
      [error.code, error.failCount, error.lockedUntil],
      ['2fa_verification_failed', 3, undefined],
    );
  });

  it('shows the words of the service without secrets, links, control characters or line breaks', () => {
    const error = errorOf(
      read(400, { success: false, msg: 'Key s3cret-key-value\n\u001b[31mbad\u202e [run](command:evil)' }),
    );
    assert.equal(error.serviceText, 'Key ••• [31mbad [run] - (command:evil)');
    assert.ok(!error.message.includes('s3cret'));
  });

  it('shortens the words of the service', () => {
    assert.equal(errorOf(read(400, { msg: 'x'.repeat(5000) })).serviceText?.length, 301);
  });

  it('reads the text from msg, message, error or detail', () => {
    const said = (body: unknown) => errorOf(read(400, body)).serviceText;
    assert.equal(said({ msg: 'a', message: 'b' }), 'a');
    assert.equal(said({ message: 'b' }), 'b');
    assert.equal(said({ error: 'Invalid date range' }), 'Invalid date range');
    assert.equal(said({ detail: 'd', other: 1 }), 'd');
    assert.equal(said({ error: 'some_code' }), undefined);
  });

  it('hands over a failed answer that the call accepts', () => {
    const answer = readAnswer(
      { status: 400, headers: {}, text: '{"success":false,"new_contract":7}' },
      { route, secrets: [], accept: () => true, now: 0 },
    );
    assert.deepEqual(answer, { kind: 'body', body: { success: false, new_contract: 7 } });
  });
});
