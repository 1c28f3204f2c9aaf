import assert from 'node:assert/strict';
import { digestOf } from '../../src/store/templates/templateStorage';
import { SlowFile } from '../support/slowFile';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateWindow } from '../support/templateWindow';
import { until } from '../support/until';

describe('template documents over time', () => {
  const scene = useTemplateScene({ name: 'Mine', image: 'a/b:1', desc: 'old', private: true });
  let window: TemplateWindow;
  let id: number;

  beforeEach(async () => {
    window = await scene().computer.openWindow();
    ({ id } = scene());
  });

  async function textOf(one: TemplateWindow): Promise<string> {
    return (await one.documents.open(id))?.text ?? '';
  }

  it('are not shown as changed elsewhere any more once that is merged', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    window.dirty.add(id);
    await scene().editElsewhere({ tag: 'theirs' });
    await window.documents.refresh(id);
    assert.equal(window.documents.isBehind(id), true);
    const events: boolean[] = [];
    window.documents.onDidNotice((which) => events.push(window.documents.isBehind(which)));
    await window.documents.save(id, source);
    assert.deepEqual(events, [false]);
  });

  it('are not set back by a list that was read before they were saved', async () => {
    const account = window.documents.account();
    const { items } = await account.client.templates.search({});
    await window.documents.save(id, changeText(await textOf(window), { desc: 'mine' }));
    await window.documents.noteListed(account, items);
    assert.match(await textOf(window), /"desc": "mine"/);
    assert.deepEqual(window.shownAnew, []);
  });

  it('are not set back by a template that was read before they were saved', async () => {
    const account = window.documents.account();
    const { templates } = account.client;
    let reading: Promise<void> | undefined;
    let answer: (() => void) | undefined;
    const slow: typeof templates = {
      ...templates,
      search: async (filters) => {
        const found = await templates.search(filters);
        // The read of the save itself is let through.
        if (reading) {
          await new Promise<void>((resolve) => (answer = resolve));
        }
        return found;
      },
      edit: async (...edit) => {
        reading = window.documents.refresh(id);
        await until('the read', () => answer);
        return templates.edit(...edit);
      },
    };
    const source = changeText(await textOf(window), { desc: 'mine' });
    window.accounts.active = { ...account, client: { ...account.client, templates: slow } };
    await window.documents.save(id, source);
    window.accounts.active = account;
    answer?.();
    await reading;
    assert.match(await textOf(window), /"desc": "mine"/);
    assert.deepEqual(window.shownAnew, []);
  });

  it('have the same time after a restart as long as they did not change', async () => {
    await textOf(window);
    const { mtime } = window.documents.peek(id) ?? {};
    await window.memory.change('account-1', (onDisk) => onDisk);
    const later = await scene().computer.openWindow();
    await later.clock.advance(60_000);
    await textOf(later);
    assert.equal(later.documents.peek(id)?.mtime, mtime);
    await later.documents.refresh(id);
    assert.equal(later.documents.peek(id)?.mtime, mtime);
    await scene().editElsewhere({ desc: 'by somebody else' });
    await later.documents.refresh(id);
    assert.ok((later.documents.peek(id)?.mtime ?? 0) > (mtime ?? 0));
  });

  it('open while the disk is busy, with the time that they keep', async () => {
    const disk = new SlowFile();
    const first = await scene().computer.openWindow(disk);
    await textOf(first);
    const mtime = first.documents.peek(id)?.mtime;
    (await until('the write', () => disk.writing[0])).end();
    const later = await scene().computer.openWindow(disk);
    await later.clock.advance(60_000);
    await textOf(later);
    assert.equal(later.documents.peek(id)?.mtime, mtime);
    assert.equal(disk.writing.length, 1);
  });

  it('keep the time of the window that saw them first, whichever wrote it first', async () => {
    const disk = new SlowFile();
    const second = await scene().computer.openWindow(disk);
    await second.clock.advance(60_000);
    void second.memory.change('account-1', (onDisk) => onDisk);
    const busy = await until('the write', () => disk.writing[0]);
    await textOf(second);
    const known = second.documents.peek(id);
    assert.ok(known);
    const first = { hash: known.hashId, digest: digestOf(known.text), mtime: known.mtime - 60_000 };
    busy.end();
    // What the first window decided comes to the disk before what the second one did.
    const account = disk.content?.accounts['account-1'];
    assert.ok(account);
    disk.content = {
      version: 1,
      drafts: {},
      accounts: { 'account-1': { ...account, versions: { [id]: first } } },
    };
    (await until('the next write', () => disk.writing[1])).end();
    const later = await scene().computer.openWindow(disk);
    await textOf(later);
    assert.equal(later.documents.peek(id)?.mtime, first.mtime);
  });

  it('keep what an edit was made from over a restart, although another window saved since', async () => {
    const other = await scene().computer.openWindow();
    const source = changeText(await textOf(window), { desc: 'typed before the restart' });
    const { mtime } = window.documents.peek(id) ?? {};
    const theirs = changeText(await textOf(other), { tag: 'of the other window' });
    for (const one of [window, other]) {
      one.dirty.add(id);
      await one.documents.keepBase(id);
    }
    await other.documents.save(id, theirs);
    other.dirty.delete(id);
    await other.documents.settle(id);
    await until('the remark', () => window.documents.isBehind(id));
    await window.memory.change('account-1', (onDisk) => onDisk);
    const restarted = await scene().computer.openWindow();
    restarted.dirty.add(id);
    await textOf(restarted);
    // The editor would ask before it saves over a later one.
    assert.equal(restarted.documents.peek(id)?.mtime, mtime);
    await restarted.documents.save(id, source);
    const { desc, tag } = await scene().record();
    assert.deepEqual([desc, tag], ['typed before the restart', 'of the other window']);
  });
});
