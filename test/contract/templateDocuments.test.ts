import assert from 'node:assert/strict';
import { RefusedError } from '../../src/api/errors';
import { DocumentError, type DocumentFields } from '../../src/model/templates/templateDocument';
import {
  ReadOnlyTemplateError,
  SaveError,
  SaveLostError,
  TemplateConflictError,
  TemplateGoneError,
} from '../../src/store/templates/templateErrors';
import { type TestSimulator } from '../support/startSimulator';
import { changeText, useTemplateScene } from '../support/templateScene';
import type { TemplateComputer } from '../support/templateWindow';
import { type TemplateWindow } from '../support/templateWindow';
import { until } from '../support/until';

const route = '/api/v0/template/';

describe('template documents', () => {
  const scene = useTemplateScene();
  let simulator: TestSimulator;
  let computer: TemplateComputer;
  let window: TemplateWindow;
  let id: number;

  beforeEach(async () => {
    ({ simulator, computer, id } = scene());
    window = await computer.openWindow();
  });

  const record = () => scene().record();
  const editElsewhere = (changes: Record<string, unknown>) => scene().editElsewhere(changes);

  async function textOf(one: TemplateWindow): Promise<string> {
    return (await one.documents.open(id))?.text ?? '';
  }

  const sent = () => simulator.received('PUT', route).map(({ body }) => body as Record<string, unknown>);
  const theirs = () => sent().filter((body) => body['desc'] !== 'by somebody else');

  it('send nothing when they are saved as they were opened', async () => {
    await window.documents.save(id, await textOf(window));
    assert.deepEqual(sent(), []);
  });

  it('send only the field that was edited, with the hash that was read', async () => {
    const { hash_id } = await record();
    await window.documents.save(id, changeText(await textOf(window), { desc: 'new' }));
    assert.deepEqual(sent(), [{ desc: 'new', hash_id }]);
    assert.equal((await record())['desc'], 'new');
  });

  it('can be saved again and again, although the hash changes each time', async () => {
    for (const desc of ['one', 'two', 'three']) {
      await window.documents.save(id, changeText(await textOf(window), { desc }));
    }
    assert.deepEqual(
      sent().map(({ desc }) => desc),
      ['one', 'two', 'three'],
    );
    assert.equal(window.documents.peek(id)?.hashId, (await record())['hash_id']);
  });

  it('keep the layout of the user after saving', async () => {
    const opened = JSON.parse(await textOf(window)) as DocumentFields;
    const source = `  ${JSON.stringify({ ...opened, desc: 'tight', env: '-e A=1 -e B=2' })}`;
    await window.documents.save(id, source);
    await window.documents.reveal(id);
    assert.equal(window.documents.peek(id)?.text, source);
    assert.deepEqual(window.shownAnew, []);
  });

  it('never overwrite what was changed elsewhere in the same place', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ desc: 'by somebody else' });
    await assert.rejects(window.documents.save(id, source), (error) => {
      assert.ok(error instanceof TemplateConflictError);
      assert.deepEqual(error.path, ['desc']);
      return true;
    });
    assert.equal((await record())['desc'], 'by somebody else');
    assert.deepEqual(theirs(), []);
  });

  it('put mine over theirs once the user chooses that', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ desc: 'by somebody else', tag: 'theirs' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    window.documents.useMine(id);
    await window.documents.save(id, source);
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['tag']], ['mine', 'theirs']);
  });

  it('ask again when it changed again after the user chose mine', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ desc: 'by somebody else' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    window.documents.useMine(id);
    await editElsewhere({ desc: 'by a third' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    assert.equal((await record())['desc'], 'by a third');
  });

  it('accept theirs without sending anything', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ desc: 'by somebody else' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    const shown = window.documents.useTheirs(id);
    assert.ok(shown !== undefined && shown.includes('by somebody else'));
    await window.documents.save(id, shown);
    assert.deepEqual(theirs(), []);
  });

  it('merge by themselves where the edits do not touch, and show the result afterwards', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ tag: 'theirs', env: '-e A=1 -e B=2 -e C=3' });
    await window.documents.save(id, source);
    assert.equal(window.documents.peek(id)?.text, source, 'what the editor just wrote');
    const written = window.documents.peek(id)?.mtime ?? 0;
    await window.documents.reveal(id);
    const shown = window.documents.peek(id);
    assert.ok(shown !== undefined);
    assert.ok(shown.text.includes('theirs') && shown.text.includes('"C": "3"'));
    assert.ok(shown.mtime > written, 'the editor would not load it otherwise');
    assert.deepEqual(window.shownAnew, [id]);
  });

  it('lose no edit of two windows that save in turn', async () => {
    const other = await computer.openWindow();
    const first = changeText(await textOf(window), { desc: 'first window' });
    const second = changeText(await textOf(other), { tag: 'second' });
    other.dirty.add(id);
    await window.documents.save(id, first);
    await other.documents.save(id, second);
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['tag']], ['first window', 'second']);
    await until('the first window to show the edit of the second', () =>
      window.documents.peek(id)?.text.includes('second') === true ? true : undefined,
    );
  });

  it('do not change under the user when another window saves, but show that', async () => {
    const other = await computer.openWindow();
    const shown = await textOf(window);
    const { mtime } = window.documents.peek(id) ?? {};
    window.dirty.add(id);
    const noticed: number[] = [];
    window.documents.onDidNotice((changed) => noticed.push(changed));
    await other.documents.save(id, changeText(await textOf(other), { desc: 'by another window' }));
    await until('the notice', () => (noticed.length > 0 ? true : undefined));
    assert.deepEqual([window.documents.peek(id)?.text, window.documents.peek(id)?.mtime], [shown, mtime]);
  });

  it('stay as they were, with the reason at its place, when the service refuses', async () => {
    const opened = await textOf(window);
    const source = changeText(opened, { recommended_disk_space: 0 });
    await assert.rejects(window.documents.save(id, source), (error) => {
      assert.ok(error instanceof SaveError && error.cause instanceof RefusedError);
      assert.deepEqual(error.path, ['recommended_disk_space']);
      assert.match(error.message, /must be above 0/);
      return true;
    });
    assert.equal(window.documents.peek(id)?.text, opened);
  });

  it('are not sent at all when they can’t be read', async () => {
    await textOf(window);
    const before = simulator.received().length;
    for (const source of ['{', '{"name":"x"}', '{"name":1,"image":"a"}']) {
      await assert.rejects(window.documents.save(id, source), DocumentError);
    }
    assert.equal(simulator.received().length, before);
  });

  for (const fault of ['dropAfter', 'cutOff', 'wrongTypes'] as const) {
    it(`are saved exactly once when the answer is lost (${fault})`, async () => {
      const source = changeText(await textOf(window), { desc: 'saved' });
      simulator.fail({ kind: fault, method: 'PUT', path: route });
      await window.documents.save(id, source);
      assert.equal((await record())['desc'], 'saved');
      assert.equal(sent().length, 1);
      await window.documents.save(id, changeText(source, { desc: 'saved again' }));
      assert.equal((await record())['desc'], 'saved again');
    });
  }

  it('stay unsaved, and report that, when the request was lost on its way', async () => {
    const source = changeText(await textOf(window), { desc: 'lost' });
    simulator.fail({ kind: 'dropBefore', method: 'PUT', path: route });
    await assert.rejects(window.documents.save(id, source), SaveLostError);
    await window.documents.save(id, source);
    assert.equal((await record())['desc'], 'lost');
  });

  it('are saved over what is there at that moment, not over what a slower read has seen before', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    window.dirty.add(id);
    const { templates } = window.documents.account().client;
    const search = templates.search.bind(templates);
    let comes = () => {};
    const late = new Promise<void>((resolve) => (comes = resolve));
    let seen: unknown;
    templates.search = async (query) => {
      const answer = await search(query);
      seen = answer;
      await late;
      return answer;
    };
    const reading = window.documents.refresh(id);
    await until('the slow read', () => seen !== undefined);
    templates.search = search;
    await editElsewhere({ desc: 'theirs' });
    const saving = assert.rejects(window.documents.save(id, source), TemplateConflictError);
    const gets = () => simulator.received('GET', route).length;
    const before = gets();
    await until('a read of its own', () => gets() > before);
    comes();
    await Promise.all([reading, saving]);
    assert.equal((await record())['desc'], 'theirs');
  });

  it('become theirs where the user wants that, send nothing, and are saved from there', async () => {
    const source = changeText(await textOf(window), { desc: 'mine' });
    await editElsewhere({ desc: 'theirs' });
    await assert.rejects(window.documents.save(id, source), TemplateConflictError);
    const before = sent().length;
    await window.documents.acceptTheirs(id, source);
    await window.documents.reveal(id);
    assert.equal(sent().length, before);
    const taken = await textOf(window);
    assert.equal((JSON.parse(taken) as Record<string, unknown>)['desc'], 'theirs');
    await window.documents.save(id, changeText(taken, { desc: 'both' }));
    assert.equal((await record())['desc'], 'both');
  });

  it('report that the template is gone', async () => {
    const source = changeText(await textOf(window), { desc: 'x' });
    await simulator.call('DELETE', route, { template_id: id });
    await assert.rejects(window.documents.save(id, source), TemplateGoneError);
  });

  it('open from the list without another request, and are gone once they were deleted elsewhere', async () => {
    const account = window.documents.account();
    await window.documents.noteListed(account, (await account.client.templates.search({})).items);
    const before = simulator.received('GET', route).length;
    assert.equal((await window.documents.open(id))?.name, 'Mine');
    assert.equal(simulator.received('GET', route).length, before);
    await simulator.call('DELETE', route, { template_id: id });
    await window.documents.refresh(id);
    assert.equal(window.documents.peek(id), undefined);
    assert.equal(await window.documents.open(id), undefined);
  });

  it('are read-only while another account is active, and never saved onto it', async () => {
    const source = changeText(await textOf(window), { desc: 'x' });
    window.accounts.switchAccount(await computer.account('account-2'));
    await assert.rejects(window.documents.save(id, source), ReadOnlyTemplateError);
    window.accounts.switchAccount(undefined);
    await assert.rejects(window.documents.save(id, source), ReadOnlyTemplateError);
    assert.deepEqual(sent(), []);
  });

  it('stay those of their account over a restart, with any active account', async () => {
    const source = changeText(await textOf(window), { desc: 'typed in the first account' });
    await window.documents.keepBase(id);
    const restored = await computer.openWindow();
    // Another service may have a template of this number.
    restored.accounts.switchAccount(await computer.account('account-2'));
    // The editor may ask for the file before it says that its document is unsaved.
    await restored.documents.open(id);
    restored.dirty.add(id);
    await restored.documents.resume(id);
    assert.equal(restored.documents.peek(id)?.accountKey, 'account-1');
    const later = await computer.openWindow();
    later.accounts.switchAccount(await computer.account('account-2'));
    later.dirty.add(id);
    assert.equal((await later.documents.open(id))?.accountKey, 'account-1');
    await assert.rejects(restored.documents.save(id, source), ReadOnlyTemplateError);
    assert.deepEqual(sent(), []);
    restored.accounts.switchAccount(await computer.account());
    await restored.documents.save(id, source);
    assert.equal((await record())['desc'], 'typed in the first account');
  });

  it('of others are read-only', async () => {
    const answer = await simulator.call('GET', route);
    const { templates } = answer.json as { templates: { id: number; recommended: boolean }[] };
    const foreign = templates.find(({ recommended }) => recommended)?.id ?? 0;
    const known = await window.documents.open(foreign);
    assert.ok(known !== undefined);
    assert.equal(known.isMine, false);
    await assert.rejects(
      window.documents.save(foreign, changeText(known.text, { desc: 'x' })),
      ReadOnlyTemplateError,
    );
  });

  it('are merged with what they were made from, also after a restart', async () => {
    const source = changeText(await textOf(window), { desc: 'typed before the restart' });
    const { mtime } = window.documents.peek(id) ?? {};
    await window.documents.keepBase(id);
    await editElsewhere({ tag: 'meanwhile' });
    const restored = await computer.openWindow();
    restored.dirty.add(id);
    await textOf(restored);
    assert.equal(restored.documents.peek(id)?.mtime, mtime, 'the editor compares with what it restored');
    await restored.documents.save(id, source);
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['tag']], ['typed before the restart', 'meanwhile']);
  });

  it('show what is there once the user has dropped the edit of before the restart', async () => {
    await textOf(window);
    await window.documents.keepBase(id);
    await editElsewhere({ tag: 'meanwhile' });
    const restored = await computer.openWindow();
    assert.ok((await textOf(restored)).includes('meanwhile'));
    await restored.documents.settle(id);
    assert.ok(restored.documents.peek(id)?.text.includes('meanwhile'));
  });
});
