import assert from 'node:assert/strict';
import { digestOf, TemplateStorage } from '../../../../src/store/templates/templateStorage';
import { silentLog } from '../../../../src/util/log';
import { noSecrets, QuickFile, SlowFile } from '../../../support/slowFile';
import { until } from '../../../support/until';

describe('what windows remember about templates', () => {
  let file: SlowFile;
  let memory: TemplateStorage;

  beforeEach(() => {
    file = new SlowFile();
    memory = new TemplateStorage('unused', silentLog, (action) => action(), noSecrets, file);
  });

  const addRecent = (id: number) =>
    memory.change('a', (account) => ({
      ...account,
      recents: [...account.recents.filter((one) => one.id !== id), { id }],
    }));
  const recents = async () => (await memory.account('a')).recents.map(({ id }) => id);
  const write = (index: number) => until('the write', () => file.writing[index]);

  it('is read with what is not written yet, at any speed of the disk', async () => {
    const first = addRecent(1);
    await write(0);
    const second = addRecent(2);
    assert.deepEqual(await recents(), [1, 2]);
    (await write(0)).end();
    await first;
    assert.deepEqual(await recents(), [1, 2]);
    assert.equal(file.content?.accounts['a']?.recents.length, 1);
    (await write(1)).end();
    await second;
    assert.equal(file.content.accounts['a'].recents.length, 2);
  });

  it('is written in the order of the changes, several at once where the disk is behind', async () => {
    const changes = [addRecent(1)];
    await write(0);
    changes.push(addRecent(2), addRecent(3), addRecent(1));
    (await write(0)).end();
    (await write(1)).end();
    await Promise.all(changes);
    assert.equal(file.writing.length, 2);
    assert.deepEqual(
      file.content?.accounts['a']?.recents.map(({ id }) => id),
      [2, 3, 1],
    );
  });

  it('is changed from what another window wrote since', async () => {
    const first = addRecent(1);
    (await write(0)).end();
    await first;
    const theirs = { id: 9 };
    const a = file.content?.accounts['a'];
    assert.ok(a);
    file.content = { version: 1, accounts: { a: { ...a, favourites: [theirs] } }, drafts: {} };
    const second = addRecent(2);
    (await write(1)).end();
    await second;
    assert.deepEqual((await memory.account('a')).favourites, [theirs]);
    assert.deepEqual(await recents(), [1, 2]);
  });

  it('keeps the newest drafts, however many were begun', async () => {
    const quick = new TemplateStorage('unused', silentLog, (action) => action(), noSecrets, new QuickFile());
    for (let index = 0; index < 60; index++) {
      await quick.keepDraft(`d${index}`, { accountKey: 'a', name: '', text: '{}', mtime: index });
    }
    const kept = await Promise.all([...Array(60).keys()].map((index) => quick.draft(`d${index}`)));
    assert.deepEqual(
      kept.flatMap((draft) => (draft ? [draft.mtime] : [])),
      [...Array(50).keys()].map((index) => index + 10),
    );
  });

  it('keeps the newest versions, however many templates were saved', async () => {
    const content = new QuickFile();
    const quick = new TemplateStorage('unused', silentLog, (action) => action(), noSecrets, content);
    const ids = [...Array(205).keys()].map((index) => 1000 + index);
    await quick.change('a', (account) => ({
      ...account,
      versions: Object.fromEntries(ids.map((id) => [id, { hash: `h${id}`, digest: '', mtime: id }])),
    }));
    assert.deepEqual(Object.keys((await quick.account('a')).versions).map(Number), ids.slice(5));
  });

  it('keeps the newest originals of edits, however many windows leave theirs behind', async () => {
    const quick = new TemplateStorage('unused', silentLog, (action) => action(), noSecrets, new QuickFile());
    for (let at = 0; at < 102; at += 1) {
      await quick.change('a', (account) => ({
        ...account,
        bases: { ...account.bases, [`window${at}/7`]: { hash: '', mtime: 1, text: '', fields: {} } },
      }));
    }
    const kept = Object.keys((await quick.account('a')).bases);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [100, 'window2/7', 'window101/7']);
  });

  it('knows a text again on every computer, by a short name', () => {
    assert.equal(digestOf('text'), '982d9e3eb996f559e633f4d194def376');
  });

  it('reports to the caller of the change that the disk refused, and continues', async () => {
    const first = addRecent(1);
    (await write(0)).end(new Error('disk full'));
    await assert.rejects(first, /disk full/);
    assert.deepEqual(await recents(), []);
    const second = addRecent(2);
    (await write(1)).end();
    await second;
    assert.deepEqual(await recents(), [2]);
  });
});
