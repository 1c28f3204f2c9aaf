import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NotSentError } from '../../../src/api/errors';
import { imageLogin, readImageLogin } from '../../../src/api/imageLogin';

const good = { user: 'me@example.com', token: 'dckr_pat_A-b.c+/=', registry: 'ghcr.io:443/team/x' };

describe('imageLogin', () => {
  it('makes the login flags of the service', () => {
    assert.equal(imageLogin(good), '-u me@example.com -p dckr_pat_A-b.c+/= ghcr.io:443/team/x');
    assert.ok(readImageLogin(imageLogin(good)));
  });

  it('accepts users of registries whose names have a dollar sign', () => {
    for (const user of ['$oauthtoken', 'robot$team+builder']) {
      const flags = imageLogin({ user, token: 'nvapi-A_b', registry: 'nvcr.io' });
      assert.equal(flags, `-u ${user} -p nvapi-A_b nvcr.io`);
      assert.ok(readImageLogin(flags));
    }
  });

  const bad: readonly Partial<typeof good>[] = [
    { user: '' },
    { user: '-v' },
    { user: 'a b' },
    { token: 'x; rm -rf /' },
    { token: '$(id)' },
    { user: '${HOME}' },
    { user: '`id`' },
    { token: "it's" },
    { token: 'a\nb' },
    { token: '-p' },
    { registry: '' },
    { registry: '-x' },
    { registry: 'https://ghcr.io' },
    { registry: 'a b' },
  ];
  for (const part of bad) {
    it(`refuses ${JSON.stringify(part)}`, () => {
      assert.throws(() => imageLogin({ ...good, ...part }), NotSentError);
    });
  }

  it('does not repeat the token in its refusal', () => {
    assert.throws(
      () => imageLogin({ ...good, token: 'bad token' }),
      (error) => error instanceof NotSentError && !error.message.includes('bad token'),
    );
  });

  it('gives exactly five words, for any input', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (user, token, registry) => {
        try {
          const words = imageLogin({ user, token, registry }).split(/\s/);
          return words.length === 5 && words[0] === '-u' && words[2] === '-p' && !/^-/.test(words[3] ?? '-');
        } catch (error) {
          return error instanceof NotSentError;
        }
      }),
    );
  });
});
