import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Client } from '../../../src/api/client';
import { partsOf, plainFields, secretsIn } from '../../../src/api/sentSecrets';
import { UserError } from '../../../src/util/errors';
import { Redactor } from '../../../src/util/redact';
import { formatText } from '../../../src/util/text';
import { calls } from '../../support/everyCall';
import { scriptedClient } from '../../support/fakeTransport';
import type { ClientMethod } from '../../support/operation';

const secret = 'hf_tokenvalue4711';
const script = `#!/bin/sh\n# first line\nexport HF_TOKEN=${secret}\npip install x`;
const code = '482913';
const backup = 'QRST-4829-WXYZ';
const challenge = 'challenge-value-4711';
const login = '-u me -p registry-pass-4711 ghcr.io';
/** A variable may be called like a field that tells nothing. */
const env = Object.fromEntries(['A', ...plainFields].map((name, index) => [name, `zq${index}variable4711`]));
const template = {
  ...{ name: 'n', image: 'i', env: `-e A=${secret}`, onstart: script, args_str: `--token ${secret}` },
  docker_login_pass: 'registry-pass-4711',
};
const proof = { kind: 'code', factor: 'totp', code, secret: challenge } as const;

/** Each write that carries a secret, with everything in it that is one. */
const carrying: Partial<Record<ClientMethod, (client: Client) => Promise<unknown>>> = {
  'offers.rent': ({ offers }) =>
    offers.rent(1, {
      ...{ image: 'i', env, onstart: script, args: `--token ${secret}`, imageLogin: login },
    }),
  'templates.create': ({ templates }) => templates.create(template),
  'templates.edit': ({ templates }) => templates.edit('abc', template),
  'instances.takeSnapshot': ({ instances }) =>
    instances.takeSnapshot(1, {
      ...{
        registry: 'ghcr.io',
        repository: 'a/b',
        user: 'ana7',
        password: 'registry-pass-4711',
        pauses: true,
      },
    }),
  'secrets.create': ({ secrets }) => secrets.create('A', secret),
  'secrets.update': ({ secrets }) => secrets.update('A', secret),
  'instances.execute': ({ instances }) => instances.execute(1, `cat ${secret}`),
  'notifications.createWebhook': ({ notifications }) =>
    notifications.createWebhook({
      url: `https://relay.example.org/${secret}`,
      eventTypes: ['client:outbid'],
    }),
  'secondFactor.logIn': ({ secondFactor }) => secondFactor.logIn({ ...proof }),
  'secondFactor.finishAuthorization': ({ secondFactor }) =>
    secondFactor.finishAuthorization({ code, secret: challenge }),
  'secondFactor.startAuthorization': ({ secondFactor }) =>
    secondFactor.startAuthorization({ kind: 'backup', backupCode: backup }),
  'secondFactor.confirmNew': ({ secondFactor }) =>
    secondFactor.confirmNew({ type: 'totp', code, secret: challenge }),
  'secondFactor.remove': ({ secondFactor }) => secondFactor.remove(1, proof),
  'secondFactor.regenerateBackupCodes': ({ secondFactor }) =>
    secondFactor.regenerateBackupCodes({ kind: 'backup', backupCode: backup }),
};
const planted = [secret, ...Object.values(env), code, backup, challenge, 'registry-pass-4711'];

/** The ways in which a service repeats what it was sent. */
const quotes: readonly ((body: string) => string)[] = [
  (body) => body,
  (body) => JSON.stringify(body),
  (body) => encodeURIComponent(body),
  (body) => Object.values(JSON.parse(body) as Record<string, unknown>).join(' and '),
  (body) => Object.values(JSON.parse(body) as Record<string, unknown>).join('\n'),
  (body) => `wrong value ${planted.filter((one) => body.includes(one)).join(', ')}`,
];
const places = ['msg', 'message', 'detail', 'error'];

async function said(
  call: (client: Client) => Promise<unknown>,
  quote: (body: string) => string,
  place: string,
  status: number,
): Promise<string> {
  const redactor = new Redactor();
  const { client, log, finish } = scriptedClient(
    ({ body }) => {
      const words = body === undefined ? 'nothing' : quote(JSON.stringify(body));
      return {
        status,
        json: { success: status === 200, new_contract: 7, error: 'invalid_args', [place]: words },
      };
    },
    { onSecrets: (values) => redactor.hold(values) },
  );
  const result = await finish(call(client)).then(
    (value) => JSON.stringify(value),
    (error: unknown) =>
      error instanceof UserError
        ? `${formatText(error.text)} ${error.message} ${error.stack ?? ''}`
        : String(error),
  );
  return [result, ...log.lines].join('\n');
}

describe('What the service repeats of a request', () => {
  for (const [name, call] of Object.entries(carrying)) {
    it(`is in no message and no log: ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...quotes),
          fc.constantFrom(...places),
          fc.constantFrom(200, 400, 403, 404, 410, 429, 500),
          async (quote, place, status) => {
            const words = await said(call, quote, place, status);
            for (const one of planted) {
              assert.ok(!words.includes(one), `${one} in ${words.slice(0, 300)}`);
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  }

  it('is looked for in whole, as JSON, as part of an address, by lines and by words, longest first', () => {
    assert.deepEqual(partsOf(['pass "word"\n  next=line1']), [
      'pass%20%22word%22%0A%20%20next%3Dline1',
      'pass \\"word\\"\\n  next=line1',
      'pass "word"\n  next=line1',
      'pass "word"',
      'next=line1',
      'line1',
      'pass',
      'word',
      'next',
    ]);
    assert.deepEqual(partsOf(['abc', 'abcd', 'abcd']), ['abcd']);
  });

  it('is looked for in writes, in fields that may hold secrets, and from four characters on', () => {
    const body = {
      label: 'name of it',
      args: 'abc',
      onstart: 'abcd',
      env: { label: 'value' },
      list: [{ a: 'deep' }],
    };
    assert.deepEqual(secretsIn({ repeat: 'write', body }), ['abcd', 'value', 'deep']);
    assert.deepEqual(secretsIn({ repeat: 'read', body }), []);
  });

  it('is looked at for every write: all others carry names and numbers alone', async () => {
    const held: string[] = [];
    for (const [name, { call, example }] of Object.entries(calls)) {
      const { client } = scriptedClient([{ json: example }], {
        onSecrets: (values) => {
          if (!(name in carrying)) {
            held.push(`${name}: ${values.join(' ')}`);
          }
          return { dispose: () => undefined };
        },
        policy: { resultWaitMs: 0 },
      });
      await call(client).catch(() => undefined);
    }
    assert.deepEqual(held, []);
  });

  it('is known to the log and to the messages while the call lasts', async () => {
    for (const call of Object.values(carrying)) {
      const redactor = new Redactor();
      const sent: string[] = [];
      const written: string[] = [];
      const { client, finish } = scriptedClient(
        ({ body }) => {
          sent.push(JSON.stringify(body));
          written.push(redactor.redact(JSON.stringify(body)));
          return { status: 500, text: '' };
        },
        { onSecrets: (values) => redactor.hold(values) },
      );
      await finish(call(client)).catch(() => undefined);
      const isIn = (lines: readonly string[]) => planted.filter((one) => lines.join().includes(one));
      assert.notDeepEqual(isIn(sent), []);
      assert.deepEqual(isIn(written), []);
    }
  });

  it('is removed from what is written during the call, and no longer than that', () => {
    const redactor = new Redactor();
    const first = redactor.hold([secret]);
    const second = redactor.hold([secret, script]);
    first.dispose();
    first.dispose();
    assert.ok(!redactor.redact(`a ${secret} b ${script}`).includes(secret));
    second.dispose();
    assert.equal(redactor.redact(`a ${secret}`), `a ${secret}`);
    redactor.addSecret(secret);
    redactor.hold([secret]).dispose();
    assert.equal(redactor.redact(`a ${secret}`), 'a •••');
  });
});
