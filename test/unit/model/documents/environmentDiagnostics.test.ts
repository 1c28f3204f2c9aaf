import assert from 'node:assert/strict';
import { checkEnvironment } from '../../../../src/model/documents/environmentDiagnostics';
import { JsonPlaces } from '../../../../src/model/documents/jsonPlaces';
import { formatText } from '../../../../src/util/text';

describe('a secret in an environment', () => {
  const fixes = (env: unknown, secrets: 'document' | 'file') =>
    [...checkEnvironment(new JsonPlaces(JSON.stringify({ env })), { secrets })].flatMap((finding) =>
      finding.fixes.map(({ title }) => formatText(title)),
    );
  const account = 'Make It an Account Secret';

  it('can become a variable of the account', () => {
    assert.deepEqual(fixes({ HF_TOKEN: 'hf_abcdefgh' }, 'file'), [account]);
    assert.deepEqual(fixes('-e HF_TOKEN=hf_abcdefgh', 'document'), ['Move to Secrets', account]);
  });

  for (const [what, env] of [
    ['has characters that the service refuses in a value', { DB_URL: 'postgres://me:pass4711@host/db' }],
    ['has a name that the service would write in capitals', { hf_token: 'hf_abcdefgh' }],
    ['has a name that the service refuses', { 'api.token': 'hf_abcdefgh' }],
  ] as const) {
    it(`can become none where it ${what}`, () => {
      assert.deepEqual(fixes(env, 'file'), []);
      assert.deepEqual(fixes(env, 'document'), ['Move to Secrets']);
    });
  }
});
