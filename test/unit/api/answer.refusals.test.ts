import assert from 'node:assert/strict';
import { readAnswer } from '../../../src/api/answer';
import {
  GoneError,
  NotFoundError,
  RateLimitedError,
  UnauthorizedError,
  ApiError,
} from '../../../src/api/errors';
import { calls } from '../../support/everyCall';
import { scriptedClient, type Scripted } from '../../support/fakeTransport';

/** Refusals of the account: its code, a text that says the same, and the page of the console that helps. */
const ofAccount = [
  ['insufficient_credit', 'Your account lacks credit; see the billing page.', 'credit'],
  ['insufficient_credit', 'Insufficient funds.', 'credit'],
  ['missing_billing', undefined, 'credit'],
  ['spend_rate_limit', 'Spend rate limit for new accounts.', 'user'],
  ['email_not_verified', 'Please verify your email first.', 'user'],
  ['email_not_verified', 'Your e-mail address is not verified.', 'user'],
] as const;

type Body = Record<string, unknown>;

/** The shapes in which the service was seen to refuse. */
function shapes(code: string, words: string | undefined): readonly (readonly [string, Scripted])[] {
  const coded: readonly (readonly [string, Body])[] = [
    ['a code', { error: code }],
    ['a code and a flag', { success: false, error: code, msg: 'x' }],
    ['a vague code and the code in the text', { success: false, error: 'invalid_args', msg: `1: ${code} x` }],
    ['the code in the text of error', { success: false, error: `error 400/77: ${code} for 7` }],
  ];
  const worded: readonly (readonly [string, Body])[] =
    words === undefined
      ? []
      : [
          ['msg alone', { success: false, msg: words }],
          ['error alone', { success: false, error: words }],
          ['a vague code', { success: false, error: 'invalid_request', msg: words }],
          ['a code that is not documented', { success: false, error: 'brand_new', msg: words }],
        ];
  return [
    ...[...coded, ...worded].flatMap(([name, json]) =>
      [400, 402, 403, 404, 409, 410, 429].map((status) => [`${name}, ${status}`, { status, json }] as const),
    ),
    ...(words === undefined ? [] : [['a bare text, 400', { status: 400, text: words }] as const]),
    ['a flag with 200', { status: 200, json: { success: false, error: code, msg: words ?? 'x' } }],
  ];
}

async function refusalOf(name: keyof typeof calls, answer: Scripted): Promise<ApiError> {
  const { client, transport, finish } = scriptedClient([answer]);
  const error: unknown = await finish(calls[name].call(client)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError, `${name}: ${String(error)}`);
  assert.equal(transport.seen.length, 1, `${name}: it is sent once`);
  return error;
}

/** The same without the client, for what does not depend on the call. */
function readRefusal(route: string, answer: Scripted): ApiError {
  assert.ok('json' in answer || 'text' in answer);
  const text = 'text' in answer ? answer.text : JSON.stringify(answer.json);
  const read = readAnswer(
    { status: answer.status ?? 200, headers: {}, text },
    { route, secrets: [], now: 0 },
  );
  assert.ok(read.kind === 'failed', text);
  return read.error;
}

const routes = ['PUT /api/v0/asks/{offer_id}/', 'PUT /api/v0/instances/{id}/', 'GET /api/v0/ssh/', 'PUT /x/'];
const names = Object.keys(calls) as (keyof typeof calls)[];
const blames = /check the (?:values|image)|another one\.|use another key|more permissions/i;

describe('a refusal of the account', () => {
  for (const [code, words, page] of ofAccount) {
    it(`is recognized as that by every call, in every shape: ${words ?? code}`, async () => {
      const seen: [string, ApiError][] = [];
      for (const name of names) {
        const json = { success: false, error: code, msg: words ?? 'x' };
        seen.push([name, await refusalOf(name, { status: 400, json })]);
      }
      for (const route of routes) {
        for (const [shape, answer] of shapes(code, words)) {
          seen.push([`${route}, ${shape}`, readRefusal(route, answer)]);
        }
      }
      for (const [where, error] of seen) {
        const said = `${where}: ${error.name} ${error.message}`;
        assert.equal(error.code, code, said);
        assert.deepEqual([error.nextStep, error.consolePage], ['openConsole', page], said);
        assert.doesNotMatch(error.message, blames, said);
        for (const other of [GoneError, NotFoundError, RateLimitedError, UnauthorizedError]) {
          assert.ok(!(error instanceof other), said);
        }
      }
    });
  }

  it('of a team that has no SSH keys leads to the instances', async () => {
    const json = { success: false, error: 'team_ssh_keys_not_supported', msg: 'Teams have no account keys.' };
    const { message } = await refusalOf('sshKeys.add', { status: 400, json });
    assert.match(message, /team account.*Attach the key to each instance/);
  });

  it('is "payment required" with any other text', async () => {
    for (const json of [{}, { error: 'brand_new' }, { msg: 'no' }]) {
      assert.equal((await refusalOf('offers.rent', { status: 402, json })).consolePage, 'credit');
    }
  });
});

describe('an unknown refusal', () => {
  it('is shown by every call with the text of the service, blames no value, and states that nothing was done', async () => {
    for (const name of names) {
      const json = { success: false, error: 'brand_new', msg: 'Purple day.' };
      const { message } = await refusalOf(name, { status: 400, json });
      assert.match(message, /It says: Purple day\.$/, name);
      const isRead = / The service refused the request\. /.test(` ${message}`);
      assert.ok(isRead || /so nothing was done\./.test(message), `${name}: ${message}`);
    }
    for (const route of routes) {
      for (const status of [400, 403, 409, 410, 422, 451]) {
        for (const json of [
          { success: false, error: 'brand_new', msg: 'Purple day.' },
          { success: false, msg: 'Purple day.' },
          { message: 'Purple day.' },
        ]) {
          const { message } = readRefusal(route, { status, json });
          assert.match(message, /Purple day\./, `${route} ${status}: ${message}`);
          assert.doesNotMatch(message, /check|value/i, `${route} ${status}: ${message}`);
        }
      }
    }
    const rental = await refusalOf('offers.rent', {
      status: 400,
      json: { success: false, error: 'brand_new' },
    });
    assert.equal(rental.message, 'The service refused the request, so nothing was done. It says: brand_new.');
    assert.match((await refusalOf('offers.rent', { status: 400, json: {} })).message, /Nothing was done\.$/);
    assert.match(
      (await refusalOf('offers.rent', { status: 400, text: 'Purple day' })).message,
      /Purple day\./,
    );
  });

  it('with 403 blames the key only where the words are about it', async () => {
    const json = { success: false, error: 'closed_market', msg: 'Come back on Monday.' };
    const { message, nextStep } = await refusalOf('offers.rent', { status: 403, json });
    assert.doesNotMatch(message, /key|permission/i);
    assert.equal(nextStep, 'none');
    const key = { success: false, error: 'closed_route', msg: 'The key has no such scope.' };
    assert.match((await refusalOf('offers.rent', { status: 403, json: key })).message, /API key/);
  });

  it('with 401 that names a permission is about that permission, and not about the key as a whole', async () => {
    const json = { success: false, msg: 'instance_write is needed for api.asks_PUT' };
    const error = await refusalOf('offers.rent', { status: 401, json });
    assert.equal(error.name, 'ForbiddenError');
  });
});

describe('an offer that is gone', () => {
  it('is recognized by its code or by its name in the text, and the raw name is not shown', async () => {
    const text = 'error 404/3603: no_such_ask Instance type by id 7 is not available.';
    for (const status of [400, 404, 410]) {
      for (const json of [
        { error: 'no_such_ask' },
        { success: false, msg: text },
        { error: text },
        { error: 'invalid_args', msg: text },
        { msg: 'Instance type by id 7 is not available.' },
      ]) {
        const error = await refusalOf('offers.rent', { status, json });
        assert.ok(error instanceof GoneError && error.code === 'no_such_ask', JSON.stringify(json));
        assert.match(error.message, /^This offer is no longer available/);
        assert.doesNotMatch(error.message, /no_such_ask/);
      }
    }
  });
});
