import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  looksSecret,
  makeReference,
  referenceName,
  referenceNameFor,
} from '../../../../src/model/templates/templateReference';

describe('a reference to a secret', () => {
  it('is recognized among other texts', () => {
    assert.equal(referenceName('${secret:hf-7}'), 'hf-7');
    for (const other of ['hf-7', '${secret:}', '${secret:a b}', 'x${secret:a}', '${env:a}', '']) {
      assert.equal(referenceName(other), undefined, other);
    }
  });

  it('gets a name that can be in it, for any name of the variable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        const reference = referenceNameFor(`env.${name}`, '12');
        assert.equal(referenceName(makeReference(reference)), reference);
      }),
    );
    assert.equal(referenceNameFor('docker_login_pass', '12'), 'registry-12');
  });
});

describe('what looks like a secret', () => {
  for (const [name, value] of [
    ['HF_TOKEN', 'abcd1234'],
    ['ANYTHING', 'hf_abcdefgh'],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['DB', 'postgres://me:pass@host/db'],
    ['wandb_api_key', 'x9x9x9x9'],
    ['PEM', '-----BEGIN PRIVATE KEY-----'],
    ['HASHY', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'],
    ['EVEN', 'abcdefghijk1'.repeat(3)],
  ] as const) {
    it(`includes ${name}=${value.slice(0, 12)}`, () => {
      assert.equal(looksSecret(name, value), true);
    });
  }

  for (const [name, value] of [
    ['HF_HOME', '/workspace/hf'],
    ['HF_TOKEN', ''],
    ['HF_TOKEN', '${secret:x}'],
    ['HF_TOKEN', '$HF_TOKEN'],
    ['TOKEN_FILE', '/run/secrets/token'],
    ['USE_AUTH', 'true'],
    ['MODEL', 'mistralai/Mistral-7B-Instruct-v0.2'],
    ['PASSES', '3'],
    ['REPEATED', 'abcdefg1'.repeat(4)],
    ['URL', 'https://example.com/a/very/long/path/with/1234567890/digits'],
  ] as const) {
    it(`leaves out ${name}=${value.slice(0, 12)}`, () => {
      assert.equal(looksSecret(name, value), false);
    });
  }
});
