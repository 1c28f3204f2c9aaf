import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { IdFolder } from '../../../src/store/idFolder';
import { FileUnreadableError } from '../../../src/store/jsonFile';
import { useFolder } from '../../support/useFolder';

describe('A folder of files that are named by their ids', () => {
  let root = '';
  useFolder((made) => void (root = made));

  it('is made for its user alone', async () => {
    const folder = new IdFolder(path.join(root, 'new', 'inside'), /^\d+$/);
    assert.deepEqual([await folder.ids(), [...(await folder.damaged())]], [[], []]);
    assert.equal(statSync(folder.path).mode & 0o777, 0o700);
  });

  it('lists what has an id for a name, and what was set aside and not written again', async () => {
    const names = ['1.json', '1.json.broken-16', '2.json.broken-17', '3.state.json', '4.state.json.broken-1'];
    for (const name of [
      ...names,
      'a.json',
      'b.json.broken-18',
      '5.broken-1',
      '6.json.broken-x',
      '7.json.tmp',
    ]) {
      writeFileSync(path.join(root, name), '');
    }
    const folder = new IdFolder(root, /^\d+$/);
    assert.deepEqual(await folder.ids(), ['1']);
    assert.deepEqual([...(await folder.damaged())], [['2', path.join(root, '2.json.broken-17')]]);
    assert.equal(folder.pathOf(2), path.join(root, '2.json'));
  });

  it('names itself where the disk refuses', async () => {
    writeFileSync(path.join(root, 'file'), '');
    const folder = new IdFolder(path.join(root, 'file'), /./);
    await assert.rejects(folder.ids(), FileUnreadableError);
    await assert.rejects(folder.damaged(), FileUnreadableError);
  });
});
