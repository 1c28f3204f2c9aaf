import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TemplateRefs } from '../../../../src/store/templates/templateRefs';
import { settle } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { readLate } from '../../../support/lateRead';
import { TemplateComputer, type TemplateWindow } from '../../../support/templateWindow';
import { until } from '../../../support/until';

describe('favourite and recent templates', () => {
  let computer: TemplateComputer;
  let window: TemplateWindow;
  let refs: TemplateRefs;
  let events: string[];

  beforeEach(async () => {
    const service = new FakeService();
    computer = new TemplateComputer(() => service.client);
    window = await computer.openWindow();
    refs = window.refs;
    events = [];
    refs.onDidChange((what) => events.push(what));
  });
  afterEach(() => computer.dispose());

  const ids = ({ recents }: TemplateRefs) => recents.map(({ id }) => id);

  it('are not read before they are shown', async () => {
    await refs.noteUse('account-1', { id: 1, hash: 'a' });
    assert.deepEqual([ids(refs), events], [[], []]);
    refs.show();
    await until('the recents', () => ids(refs).length === 1, { everyMs: 1 });
    assert.deepEqual(events, ['all']);
  });

  it('follow every use in any window, and report when only the order changed', async () => {
    const other = await computer.openWindow();
    refs.show();
    await refs.noteUse('account-1', { id: 1 });
    await settle();
    assert.deepEqual(events, ['all'], 'however often it is read');
    await other.refs.noteUse('account-1', { id: 2 });
    await until('the other window', () => ids(refs).length === 2, { everyMs: 1 });
    assert.deepEqual(ids(refs), [2, 1]);
    assert.deepEqual(events, ['all', 'recents']);
  });

  it('know a favourite as it was when it was used last', async () => {
    await refs.setFavourite('account-1', { id: 1, hash: 'a' }, true);
    assert.deepEqual(await refs.find('account-1', 'favourites', 1), { id: 1, hash: 'a' });
    await refs.noteUse('account-1', { id: 1, name: 'Trainer', hash: 'b' });
    assert.deepEqual(await refs.find('account-1', 'favourites', 1), { id: 1, name: 'Trainer', hash: 'b' });
    await refs.setFavourite('account-1', { id: 1 }, false);
    assert.equal(await refs.find('account-1', 'favourites', 1), undefined);
  });

  it('give the place of a template to the one that it was created again as', async () => {
    for (const ref of [{ id: 1, name: 'Trainer', hash: 'a' }, { id: 2 }]) {
      await refs.setFavourite('account-1', ref, true);
      await refs.noteUse('account-1', ref);
    }
    await refs.noteRecreated('account-1', 1, 3);
    refs.show();
    await until('the recents', () => ids(refs).length === 2, { everyMs: 1 });
    assert.deepEqual(
      [refs.recents, refs.favourites],
      [
        [{ id: 2 }, { id: 3, name: 'Trainer' }],
        [{ id: 2 }, { id: 3, name: 'Trainer' }],
      ],
    );
    await refs.noteUse('account-1', { id: 4 });
    await refs.noteRecreated('account-1', 3, 4);
    await until('one of the two', () => ids(refs).length === 2, { everyMs: 1 });
    assert.deepEqual(ids(refs), [4, 2]);
  });

  it('are those of the account that is active by the time they were read', async () => {
    await refs.noteUse('account-1', { id: 1 });
    refs.show();
    window.accounts.switchAccount(await computer.account('account-2'));
    await settle();
    assert.deepEqual(ids(refs), []);
    await refs.noteUse('account-1', { id: 3 });
    assert.deepEqual(ids(refs), []);
    await refs.noteUse('account-2', { id: 2 });
    assert.deepEqual(ids(refs), [2]);
  });

  it('are those that were written last where the disk answers an earlier reading late', async () => {
    await refs.noteUse('account-1', { id: 1 });
    const path = join(computer.storageDir, 'templates.json');
    const older = await readFile(path, 'utf8');
    await refs.noteUse('account-1', { id: 2 });
    const newer = await readFile(path, 'utf8');
    await writeFile(path, older);
    await readLate(path, newer, () => {
      refs.show();
    });
    assert.deepEqual(ids(refs), [2, 1]);
  });
});
