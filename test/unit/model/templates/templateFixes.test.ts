import assert from 'node:assert/strict';
import { applyChanges } from '../../../../src/model/documents/jsonPlaces';
import {
  environmentRewrites,
  removeVariable,
  replaceByReference,
} from '../../../../src/model/templates/templateFixes';
import { findInFile } from '../../../support/workspaceFile';

const complete = { name: 'n', image: 'i:1', private: true };
const render = (more: Record<string, unknown>) => JSON.stringify({ ...complete, ...more }, null, 2);

describe('the rewritings of a document', () => {
  const envOf = (source: string) => (JSON.parse(source) as { env: unknown }).env;
  const rewritten = (source: string) =>
    environmentRewrites(source).map((fix) =>
      fix.action.kind === 'edit' ? envOf(applyChanges(source, fix.action.changes)) : undefined,
    );

  it('turn an environment into the other form and back', () => {
    assert.deepEqual(rewritten(render({ env: '-e A=1 -p 80:80' })), [{ A: '1', '-p 80:80': '1' }]);
    assert.deepEqual(rewritten(render({ env: { A: '1', '-p 80:80': '1' } })), ['-e A=1 -p 80:80']);
  });

  it('are not offered where they would lose something', () => {
    assert.deepEqual(rewritten(render({ env: '-e A=1 -e A=2' })), []);
    assert.deepEqual(rewritten(render({ env: { '-p 8': '1' } })), []);
    assert.deepEqual(rewritten(render({})), []);
  });

  it('put a reference in place of the secret and change nothing else', () => {
    const source = render({ env: { HF_TOKEN: 'hf_x', A: '1' }, docker_login_pass: 'clear' });
    const after = (slot: 'docker_login_pass' | 'env.HF_TOKEN') =>
      JSON.parse(applyChanges(source, replaceByReference(source, slot, '${secret:r}') ?? [])) as unknown;
    assert.deepEqual(after('env.HF_TOKEN'), {
      ...complete,
      env: { HF_TOKEN: '${secret:r}', A: '1' },
      docker_login_pass: 'clear',
    });
    assert.deepEqual(after('docker_login_pass'), {
      ...complete,
      env: { HF_TOKEN: 'hf_x', A: '1' },
      docker_login_pass: '${secret:r}',
    });
  });

  it('put a reference where the variable was not set yet, and leave what can’t be read alone', () => {
    const envAfter = (fields: Record<string, unknown>) => {
      const source = render(fields);
      const changes = replaceByReference(source, 'env.T', '${secret:r}') ?? [];
      return (JSON.parse(applyChanges(source, changes)) as { env?: unknown }).env;
    };
    assert.deepEqual(envAfter({}), { T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: null }), { T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: { A: '1' } }), { A: '1', T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: '-e A=1' }), { A: '1', T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: ['A'] }), ['A']);
    assert.equal(envAfter({ env: '-e A=1 -e A=2' }), '-e A=1 -e A=2');
  });

  it('remove a variable from either form', () => {
    for (const env of [{ T: 'x', A: '1' }, '-e T=x -e A=1'] as const) {
      const source = render({ env });
      const after = JSON.parse(applyChanges(source, removeVariable(source, 'T') ?? [])) as { env: unknown };
      assert.deepEqual(after.env, { A: '1' });
    }
    assert.equal(removeVariable(render({ env: '-e T=x -e T=y' }), 'T'), undefined);
  });

  it('keep comments, line endings and indentation of the file', () => {
    const source = '{\r\n\t// why\r\n\t"image": "a:1"\r\n}';
    const finding = findInFile(source).find(({ code }) => code === 'priceLimitMissing');
    const action = finding?.fixes[0]?.action;
    assert.ok(action?.kind === 'edit');
    assert.equal(
      applyChanges(source, action.changes),
      '{\r\n\t// why\r\n\t"image": "a:1",\r\n\t"maxPricePerHour": 0.5\r\n}',
    );
  });
});
