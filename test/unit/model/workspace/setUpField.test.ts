import assert from 'node:assert/strict';
import { readSetUp } from '../../../../src/model/workspace/setUpField';
import { WorkspaceFileError } from '../../../../src/model/workspace/workspaceFile';
import { findInFile } from '../../../support/workspaceFile';

const read = (setUp: unknown) => readSetUp(JSON.stringify({ setUp }));

describe('The set-up in a workspace file', () => {
  it('is read with comments, and once for each name', () => {
    const source = '{ // c\n "setUp": { "extensions": ["a.b", "a.b"], "script": "x\\r\\ny\\n", }, }';
    assert.deepEqual(readSetUp(source), { extensions: ['a.b'], secrets: [], script: 'x\ny' });
    assert.deepEqual(read({ secrets: ['A', 'A'] })?.secrets, ['A']);
  });

  it('is none where it wants nothing', () => {
    for (const one of [undefined, {}, { extensions: [], secrets: [], script: ' \n' }, { other: 1 }]) {
      assert.equal(read(one), undefined);
    }
  });

  it('is refused by its place where a value is wrong', () => {
    const wrong: readonly [unknown, string][] = [
      [{ extensions: ['a.b', '--force'] }, 'setUp.extensions.1'],
      [{ extensions: ['https://x.y/a.vsix'] }, 'setUp.extensions.0'],
      [{ extensions: Array(31).fill('a.b') }, 'setUp.extensions'],
      [{ secrets: ['A=b'] }, 'setUp.secrets.0'],
      [{ secrets: { A: 'b' } }, 'setUp.secrets'],
      [{ script: ['x'] }, 'setUp.script'],
      [{ script: 'x'.repeat(1501) }, 'setUp.script'],
      [[], 'setUp'],
      [null, 'setUp'],
    ];
    for (const [setUp, place] of wrong) {
      assert.throws(
        () => read(setUp),
        (error) => error instanceof WorkspaceFileError && error.path.join('.') === place,
        place,
      );
    }
    assert.throws(() => readSetUp('{ "setUp": { <<<<<<< } }'), /not valid JSON in line 1/);
  });

  it('has no script that runs what a question would not show', () => {
    for (const hidden of ['\u202e', '\u0000', '\u001b[8m', '\u200b', '\u2028', '\ue000', '\n'.repeat(30)]) {
      assert.throws(() => read({ script: `a${hidden}b` }), /hidden characters or more than 30 lines/);
    }
    assert.equal(read({ script: 'if x; then\n\techo "ä 漢 🙂"\nfi' })?.script.includes('漢'), true);
  });

  it('has no lists that push its script out of a question', () => {
    const long = (letter: string) => Array.from({ length: 6 }, (_, at) => `${letter.repeat(98)}${at}.x`);
    assert.ok(read({ extensions: long('a'), script: 'x' }));
    for (const names of [
      { extensions: [...long('a'), ...long('b')] },
      { secrets: Array.from({ length: 9 }, (_, at) => `A${at}`.repeat(100)) },
    ]) {
      assert.throws(
        () => read({ ...names, script: 'x' }),
        /names more extensions and secrets than a question/,
      );
    }
  });

  it('is checked in its document', () => {
    const codes = (setUp: unknown) => findInFile(JSON.stringify({ setUp })).map(({ code }) => code);
    assert.deepEqual(codes({ script: 'x' }), ['nothingToRent']);
    assert.deepEqual(codes({ scripts: 'x' }), ['nothingToRent', 'unknownField']);
    const token = `hf_${'a1B2'.repeat(9)}`;
    assert.ok(codes({ script: `export HF_TOKEN=${token}` }).includes('secretInScript'));
  });
});
