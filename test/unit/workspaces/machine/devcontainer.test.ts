import assert from 'node:assert/strict';
import { readDevcontainer } from '../../../../src/workspaces/machine/setUp/devcontainer';

const read = (file: unknown) => readDevcontainer(JSON.stringify(file));
const script = (postCreateCommand: unknown) => read({ postCreateCommand })?.setUp.script;

describe('A devcontainer.json, as the set-up of an instance', () => {
  it('is its extensions, with comments in the file', () => {
    const source = `{ // a container
      "image": "x", "customizations": { "vscode": { "extensions": ["a.b", "-c.d", "a.b", "e.f@1.2", 7,], } }, }`;
    assert.deepEqual(readDevcontainer(source), {
      setUp: { extensions: ['a.b'], secrets: [], script: '' },
      leftOut: ['e.f@1.2'],
    });
  });

  it('is its command, in each of the three forms', () => {
    assert.equal(script('pip install -e . && make'), 'pip install -e . && make');
    assert.equal(script(['pip', 'install', "it's", '$HOME']), "pip install 'it'\\''s' '$HOME'");
    assert.equal(script({ one: 'a | b', two: ['c', 'd e'], three: '' }), "a | b\nc 'd e'");
  });

  it('has the variables of containers in the words of the shell, or leaves a command out', () => {
    assert.equal(
      script('ls ${containerWorkspaceFolder}/x ${localWorkspaceFolderBasename} ${containerEnv:A:b} ${A:-c}'),
      'ls $PWD/x ${PWD##*/} ${A:-b} ${A:-c}',
    );
    const found = read({ postCreateCommand: { one: 'echo ${localEnv:HOME}', two: 'make' } });
    assert.deepEqual([found?.setUp.script, found?.leftOut], ['make', ['echo ${localEnv:HOME}']]);
  });

  it('is none without them, or where the file can’t be read whole', () => {
    for (const file of [{}, [], null, 7, { postCreateCommand: 7 }, { customizations: { vscode: [] } }]) {
      assert.equal(read(file), undefined);
    }
    assert.equal(readDevcontainer('{ "postCreateCommand": "a" <<<<'), undefined);
    assert.throws(() => script('a\u202eb'), /hidden characters/);
    assert.throws(() => script('x'.repeat(2000)), /wrong value/);
  });
});
