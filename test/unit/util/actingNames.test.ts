import assert from 'node:assert/strict';
import { actingPart } from '../../../src/util/actingNames';

describe('A name on which git or an editor acts', () => {
  it('is found however the disk of this computer reads it, with the folders before it', () => {
    for (const part of [
      '.git',
      '.GIT',
      '.git. .',
      '.git::$INDEX_ALLOCATION',
      '.git\\config',
      'git~1',
      'GIT~2',
      '.g\u200cit',
      '\ufeff.gi\u202et',
      '.vscode',
      '.v\u017fcode',
      'VSCODE~1',
      '.cursor',
      '.\u212airo',
      '.windsurf',
      'WINDSU~1',
    ]) {
      assert.equal(actingPart(part), part);
      assert.equal(actingPart(`a/${part}/b/c`), `a/${part}`);
      assert.equal(actingPart(`/a/${part}/${part}`), `/a/${part}`);
    }
  });

  it('is the HEAD that makes any folder a repository, unless it is a folder itself', () => {
    assert.equal(actingPart('bare/HEAD'), 'bare/HEAD');
    assert.equal(actingPart('bare/he\u200dad'), 'bare/he\u200dad');
    assert.equal(actingPart('bare/HEAD', 'folder'), undefined);
    assert.equal(actingPart('HEAD/a'), undefined);
  });

  it('is none that only looks alike', () => {
    for (const name of [
      '.gitignore',
      '.github/workflows/a.yml',
      'git',
      'x.git/config',
      'gits~1',
      '.vscode-test/a',
      'HEAD.txt',
      'forehead',
      'outputs/.hydra/config.yaml',
    ]) {
      assert.equal(actingPart(name), undefined, name);
    }
  });
});
