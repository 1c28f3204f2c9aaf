import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { templateOwner } from '../../../../src/model/templates/templateReference';
import { aTemplate } from '../../../support/builders';
import { settle } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { readLate } from '../../../support/lateRead';
import { TemplateComputer, type TemplateWindow } from '../../../support/templateWindow';
import { until } from '../../../support/until';

const id = 77;

describe('The documents of templates while others change them', () => {
  let service: FakeService;
  let computer: TemplateComputer;
  let window: TemplateWindow;
  let noticed: number[];
  beforeEach(async () => {
    service = new FakeService();
    become(1, 'old');
    computer = new TemplateComputer(() => service.client);
    window = await computer.openWindow();
    noticed = [];
    window.documents.onDidNotice((one) => noticed.push(one));
  });
  afterEach(() => computer.dispose());

  /** What the service has from now on; every edit changes the hash. */
  function become(version: number, desc: string) {
    service.templates = [aTemplate({ hashId: `hash-${version}`, raw: { name: 'Trainer', desc } })];
  }
  const reads = () => service.count('templates.search');
  const text = (one = window) => one.documents.peek(id)?.text ?? '';
  const hash = () => window.documents.peek(id)?.hashId;
  async function open(one = window) {
    const known = await one.documents.open(id);
    assert.ok(known);
    one.documents.noteShown(id, known.text);
  }

  it('show a change and a deletion elsewhere, and report each', async () => {
    await open();
    become(2, 'new');
    await window.documents.refresh(id);
    assert.match(text(), /new/);
    assert.deepEqual(window.shownAnew, [id]);
    service.templates = [];
    await window.documents.refresh(id);
    assert.deepEqual([window.documents.peek(id), window.shownAnew], [undefined, [id, id]]);
    assert.equal(await window.documents.open(id), undefined);
  });

  it('show the version that was read last where the disk answers for an earlier one late', async () => {
    await open();
    await settle();
    const path = join(computer.storageDir, 'templates.json');
    let version = 1;
    await readLate(path, await readFile(path, 'utf8'), () => {
      version += 1;
      become(version, `new ${version}`);
      void window.documents.refresh(id);
    });
    await until('it is shown', () => window.shownAnew.length > 0, { everyMs: 1 });
    await settle();
    assert.match(text(), /new 3/);
  });

  it('report nothing if the text stays as it is, and are saved over the version of that moment', async () => {
    await open();
    become(2, 'old');
    await window.documents.refresh(id);
    assert.deepEqual([hash(), window.shownAnew], ['hash-2', []]);
    await window.documents.refresh(78);
    assert.equal(window.documents.peek(78), undefined);
  });

  it('stay as they are during an edit, report once that they are behind, and follow once it is over', async () => {
    await open();
    window.dirty.add(id);
    await window.documents.beginEdit(id);
    for (const version of [2, 3]) {
      become(version, `new ${version}`);
      await window.documents.refresh(id);
    }
    assert.match(text(), /old/);
    assert.deepEqual([window.documents.isBehind(id), noticed, window.shownAnew], [true, [id], []]);
    service.templates = [];
    await window.documents.refresh(id);
    assert.match(text(), /old/, 'its save reports the deletion');
    become(4, 'newest');
    window.dirty.delete(id);
    await window.documents.settle(id);
    assert.match(text(), /newest/);
    assert.deepEqual([window.documents.isBehind(id), noticed, window.shownAnew], [false, [id, id], [id]]);
  });

  it('go back to the text on the screen for an edit that begins before the newer one is shown', async () => {
    await open();
    become(2, 'new');
    await window.documents.refresh(id);
    window.dirty.add(id);
    await window.documents.beginEdit(id);
    assert.match(text(), /old/);
    assert.deepEqual([window.documents.isBehind(id), noticed], [true, [id]]);
    const { bases } = await window.memory.account('account-1');
    assert.deepEqual(
      Object.values(bases).map((base) => base.hash),
      ['hash-1'],
    );
  });

  it('keep what an edit was made from until it is over, which costs a read alone where there was one', async () => {
    await open();
    const before = reads();
    await window.documents.settle(id);
    assert.equal(reads(), before);
    await window.documents.beginEdit(id);
    assert.equal(Object.keys((await window.memory.account('account-1')).bases).length, 1);
    await window.documents.settle(id);
    assert.equal(reads(), before + 1);
    assert.deepEqual((await window.memory.account('account-1')).bases, {});
    await window.documents.settle(id);
    assert.equal(reads(), before + 1);
  });

  it('are read again when they are reopened, unless a list follows their changes', async () => {
    await open();
    become(2, 'new');
    assert.match((await window.documents.openCurrent(id))?.text ?? '', /new/);
    const account = window.documents.account();
    await window.documents.noteListed(account, service.templates);
    const before = reads();
    await window.documents.openCurrent(id);
    assert.equal(reads(), before);
    window.documents.close(id);
    await window.documents.openCurrent(id);
    assert.equal(reads(), before, 'the listed record is enough');
  });

  it('are read again for a list with another version of them, of their own account', async () => {
    await open();
    const account = window.documents.account();
    const before = reads();
    await window.documents.noteListed(account, service.templates);
    assert.equal(reads(), before);
    become(2, 'new');
    await window.documents.noteListed({ ...account, key: 'account-2' }, service.templates);
    assert.equal(reads(), before);
    await window.documents.noteListed(account, service.templates);
    assert.deepEqual([reads(), hash()], [before + 1, 'hash-2']);
  });

  it('are not refreshed for another account, nor while signed out', async () => {
    await open();
    const before = reads();
    for (const account of [await computer.account('account-2'), undefined]) {
      window.accounts.switchAccount(account);
      await window.documents.refresh(id);
    }
    assert.equal(reads(), before);
  });

  it('go with their template in every window, with its secrets unless one is being edited', async () => {
    const other = await computer.openWindow();
    for (const one of [window, other]) {
      await open(one);
    }
    const owner = templateOwner(id);
    await window.kept.add('account-1', 'x', 'value', owner);
    await window.documents.noteListed(window.documents.account(), service.templates);
    service.templates = [];
    window.dirty.add(id);
    await window.documents.forget(id);
    assert.deepEqual([...(await window.secrets.names('account-1', owner))], ['x']);
    assert.deepEqual(window.shownAnew, [id]);
    await until('the other window', () => other.documents.peek(id) === undefined);
    assert.equal(await window.documents.open(id), undefined, 'nor from the list');
    await window.documents.forget(id);
    assert.deepEqual(window.shownAnew, [id]);
    become(2, 'again');
    window.dirty.clear();
    await open();
    await window.documents.forget(id);
    assert.deepEqual([...(await window.secrets.names('account-1', owner))], []);
  });

  it('are shown once the editor restores one that belongs to another account, which it is not saved to', async () => {
    await open();
    await window.documents.beginEdit(id);
    const restored = await computer.openWindow();
    restored.accounts.switchAccount(await computer.account('account-2'));
    become(9, 'of another account');
    await restored.documents.resume(id);
    assert.deepEqual([restored.documents.peek(id)?.accountKey, restored.shownAnew], ['account-1', [id]]);
    assert.match(text(restored), /old/);
    const before = reads();
    await restored.documents.resume(id);
    assert.deepEqual([reads(), restored.shownAnew], [before, [id]]);
  });

  it('are read once for all requests at the same time, and again for a later one', async () => {
    const opened = await Promise.all([window.documents.open(id), window.documents.open(id)]);
    assert.equal(reads(), 1);
    assert.equal(opened[0], opened[1]);
    window.documents.close(id);
    await window.documents.open(id);
    assert.equal(reads(), 2);
  });

  it('receive nothing once their window has closed', async () => {
    const other = await computer.openWindow();
    for (const one of [window, other]) {
      await open(one);
    }
    const before = reads();
    window.documents.dispose();
    await other.documents.forget(id);
    await settle();
    assert.equal(reads(), before);
  });

  it('have an original again once an edit is resumed that has lost its own, until it is over', async () => {
    const restored = await computer.openWindow(undefined, 'later');
    restored.dirty.add(id);
    await restored.documents.resume(id);
    const bases = async () => Object.keys((await restored.memory.account('account-1')).bases);
    assert.deepEqual(await bases(), ['later/77']);
    restored.dirty.clear();
    await restored.documents.settle(id);
    assert.deepEqual(await bases(), []);
  });
});
