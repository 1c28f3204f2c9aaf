import assert from 'node:assert/strict';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FileUnreadableError } from '../../../../src/store/disk/jsonFile';
import { IdFolder, RowFolder } from '../../../../src/store/disk/rowFolder';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

describe('A folder of files that are named by their ids', () => {
  let root = '';
  useFolder((made) => void (root = made));

  it('is made for its user alone', async () => {
    const folder = new IdFolder(path.join(root, 'new', 'inside'), /^\d+$/, silentLog);
    assert.deepEqual([await folder.ids(), [...(await folder.setAside())]], [[], []]);
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
    const folder = new IdFolder(root, /^\d+$/, silentLog);
    assert.deepEqual(await folder.ids(), ['1']);
    assert.deepEqual([...(await folder.setAside())], [['2', path.join(root, '2.json.broken-17')]]);
    assert.equal(folder.pathOf(2), path.join(root, '2.json'));
  });

  it('names itself where the disk refuses', async () => {
    writeFileSync(path.join(root, 'file'), '');
    const folder = new IdFolder(path.join(root, 'file'), /./, silentLog);
    await assert.rejects(folder.ids(), FileUnreadableError);
    await assert.rejects(folder.setAside(), FileUnreadableError);
  });
});

describe('Rows of a folder on disk', () => {
  const refusal = new FileUnreadableError('/storage/2.json', new Error('busy'));
  let root = '';
  useFolder((made) => void (root = made));

  class Rows extends RowFolder<string> {
    version = 'old';
    failing: { readonly id: string; readonly error: Error } | undefined;

    /** Lists the rows while the folder has these files alone. */
    async listOf(...ids: readonly number[]) {
      ids.forEach((id) => writeFileSync(this.pathOf(id), ''));
      const rows = await this.list();
      ids.forEach((id) => rmSync(this.pathOf(id)));
      return rows;
    }

    read(id: string) {
      const row = id === '9' ? undefined : `${this.version} ${id}`;
      return this.failing?.id === id ? Promise.reject(this.failing.error) : Promise.resolve(row);
    }

    protected order(one: string, other: string) {
      return one.slice(-1).localeCompare(other.slice(-1));
    }
  }
  const open = () => new Rows(root, /^\d+$/, silentLog);

  it('are read though the disk refuses one of them, which stays as it was', async () => {
    const rows = open();
    assert.deepEqual([await rows.listOf(1, 2, 9), rows.refused], [['old 1', 'old 2'], undefined]);
    rows.version = 'new';
    rows.failing = { id: '2', error: refusal };
    assert.deepEqual([await rows.listOf(1, 2, 3, 9), rows.refused], [['new 1', 'old 2', 'new 3'], refusal]);
    rows.failing = { id: '3', error: refusal };
    assert.deepEqual(await rows.listOf(3), ['new 3']);
    rows.failing = undefined;
    assert.deepEqual([await rows.listOf(2), rows.refused], [['new 2'], undefined]);
    rows.failing = { id: '3', error: refusal };
    // Its file was gone in between.
    assert.deepEqual(await rows.listOf(3), []);
  });

  it('treat only a refusal of the disk as one', async () => {
    const rows = open();
    rows.failing = { id: '1', error: new Error('a fault of ours') };
    await assert.rejects(rows.listOf(1), /a fault of ours/);
  });
});
