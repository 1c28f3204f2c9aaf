import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Redactor } from '../../../src/util/redact';

const encodings: readonly ((value: string) => string)[] = [
  (value) => value,
  encodeURIComponent,
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => Buffer.from(value, 'utf8').toString('base64'),
];

describe('redaction', () => {
  it('removes a known secret in every encoding, anywhere in the text', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 8, maxLength: 40 }),
        fc.string(),
        fc.constantFrom(...encodings),
        (secret, around, encode) => {
          fc.pre(!around.includes(encode(secret)));
          const redactor = new Redactor();
          redactor.addSecret(secret);
          assert.ok(!redactor.redact(`${around} ${encode(secret)} ${around}`).includes(encode(secret)));
        },
      ),
      { numRuns: 500 },
    );
  });

  for (const [what, line, secret] of [
    ['a bearer', 'Authorization: Bearer abc123def456', 'abc123def456'],
    ['an instance key in JSON', '{"instance_api_key":"feedfacefeedface"}', 'feedfacefeedface'],
    ['a key in a query', 'GET /x?api_key=feedface&y=1', 'feedface'],
    ['a one-time code', 'code: 123456', '123456'],
    ['a backup code', 'use ABCD-1234-WXYZ', 'ABCD-1234-WXYZ'],
    ['an authenticator address', 'otpauth://totp/x?secret=JBSWY3DP', 'JBSWY3DP'],
    ['backup codes in JSON', '{"backup_codes":["AAAA-BBBB-CCCC"]}', 'AAAA-BBBB-CCCC'],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNza\n-----END OPENSSH PRIVATE KEY-----',
      'b3BlbnNza',
    ],
    ['a registry login', 'image_login=-u joe -p hunter22', 'hunter22'],
  ] as const) {
    it(`removes ${what} that was never registered`, () => {
      assert.ok(!new Redactor().redact(line).includes(secret), new Redactor().redact(line));
    });
  }

  it('leaves ordinary lines as they are', () => {
    const line = 'GET /api/v0/instances/ 200 in 83 ms (#12)';
    assert.equal(new Redactor().redact(line), line);
  });
});
