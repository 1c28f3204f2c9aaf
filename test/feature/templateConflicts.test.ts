import assert from 'node:assert/strict';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a template that is changed elsewhere while it is edited', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;
  let made = 0;

  const desc = async () => (await service.record(id))['desc'];
  const theirs = (words: string) => service.editElsewhere(id, { desc: words });
  const mine = (words: string) => editor.type({ desc: words });
  const files = () => {
    const found = window.screen.documents.files.systems.get('gpurental');
    assert.ok(found);
    return found;
  };
  const lists = () => computer().simulator.received('GET', '/api/v0/template/').length;
  /** The list is read again, and open documents follow it. */
  const refresh = async () => {
    window.run('Refresh');
    await computer().rest();
  };
  const shown = () => window.toasts().length + window.screen.messages.shown.filter((one) => one.modal).length;

  /** The only thing on the screen is our question; the answer is mine. */
  async function asksOnceAndSavesMine(words: string): Promise<void> {
    await editor.save();
    await window.dialog(/Which version do you want to keep/);
    await editor.lens('Changed elsewhere too: compare');
    assert.equal(shown(), 1);
    await window.dialogButton('Use Mine');
    await editor.saved();
    assert.equal(await desc(), words);
    assert.equal(shown(), 0);
    await editor.noLens('Use Mine');
  }

  before(async () => {
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
  });

  beforeEach(async () => {
    made += 1;
    id = await service.make(`Disputed ${made}`);
    window.clearToasts();
    await refresh();
    await window.view('templates').click(`Disputed ${made}`);
    await editor.shows(`Disputed ${made}.json`, '"desc": "old words"');
  });
  afterEach(() => editor.closeAll());

  it('is none in a document that was open before the extension was loaded', async () => {
    const { uri } = editor.document;
    const other = await computer().openWindow({ kept: [{ uri, text: editor.text }] });
    // The service allows one search for templates every few seconds.
    await computer().pass(10_000);
    await other.screen.documents.show(uri);
    const there = new DocumentDriver(other);
    await there.type({ desc: 'mine' });
    await there.save();
    await there.saved();
    assert.equal((await service.record(id))['desc'], 'mine');
    other.close();
  });

  it('is asked about where it changed before the first key', async () => {
    await theirs('theirs');
    await mine('mine');
    await asksOnceAndSavesMine('mine');
  });

  it('is asked about where it changed after the last key', async () => {
    await mine('mine');
    await theirs('theirs');
    await asksOnceAndSavesMine('mine');
  });

  it('is asked about where the list has shown the change already', async () => {
    await mine('mine');
    await theirs('theirs');
    await refresh();
    await editor.lens('saving merges');
    await asksOnceAndSavesMine('mine');
  });

  it('is asked about if the first key was typed while the change was on its way to the screen', async () => {
    const provider = files();
    const read = provider.readFile.bind(provider);
    const onTheWay: (() => void)[] = [];
    provider.readFile = async (uri) => {
      await new Promise<void>((resolve) => onTheWay.push(resolve));
      return read(uri);
    };
    await service.editElsewhere(id, { desc: 'theirs', tag: 'theirs' });
    const before = lists();
    window.run('Refresh');
    await computer().until('the list and the changed template', () => lists() > before + 1);
    await computer().rest();
    assert.ok(onTheWay.length > 0);
    await mine('mine');
    provider.readFile = read;
    for (const arrive of onTheWay) {
      arrive();
    }
    await computer().rest();
    assert.match(editor.text, /"desc": "mine"/);
    await editor.lens('saving merges');
    await asksOnceAndSavesMine('mine');
    assert.equal((await service.record(id))['tag'], 'theirs');
  });

  it('is asked about again if it changed again during the question', async () => {
    await mine('mine');
    await theirs('theirs');
    await editor.save();
    await window.dialog(/Which version/);
    await theirs('theirs, again');
    await window.dialogButton('Use Mine');
    await window.dialog(/Which version/);
    assert.equal(await desc(), 'theirs, again');
    await window.dialogButton('Use Mine');
    await editor.saved();
    assert.equal(await desc(), 'mine');
  });

  it('is asked about at each save until it is decided', async () => {
    await mine('mine');
    await theirs('theirs');
    for (const answer of ['Compare', 'Cancel']) {
      await editor.save();
      await window.dialogButton(answer, /Which version/);
      await window.toast(/Failed to save.*Choose what to keep/);
      assert.equal(shown(), 1);
      window.clearToasts();
      assert.equal(editor.isDirty, true);
      assert.equal(await desc(), 'theirs');
    }
    await asksOnceAndSavesMine('mine');
  });

  it('becomes theirs with one answer', async () => {
    await mine('mine');
    await theirs('theirs');
    await editor.save();
    await window.dialogButton('Use Theirs', /Which version/);
    await editor.saved();
    await computer().until('their words', () => editor.text.includes('"desc": "theirs"'));
    assert.equal(await desc(), 'theirs');
    assert.equal(shown(), 0);
    await editor.noLens('Use Theirs');
  });

  it('is not asked about in a dialog where the editor saves by itself', async () => {
    await mine('mine');
    await theirs('theirs');
    void window.screen.documents.saveByItself(editor.document);
    await window.toast(/Failed to save.*changed elsewhere/);
    assert.equal(shown(), 1);
    await editor.press('Use Mine');
    await editor.saved();
    assert.equal(await desc(), 'mine');
  });

  it('is asked about in a place that was edited after the conflict was found', async () => {
    await mine('mine');
    await service.editElsewhere(id, { desc: 'theirs', tag: 'theirs', env: '-e A=theirs' });
    void window.screen.documents.saveByItself(editor.document);
    await window.toast(/Failed to save.*changed elsewhere/);
    window.clearToasts();
    await editor.type({ desc: 'mine', tag: 'mine', env: { A: 'mine' } });
    await editor.press('Use Mine');
    const { detail } = await window.dialog(/Which version/);
    assert.match(detail ?? '', /^Changed in both: (?=.*desc)(?=.*tag)(?=.*env)/);
    const { tag, env } = await service.record(id);
    assert.deepEqual([await desc(), tag, env], ['theirs', 'theirs', '-e A=theirs']);
    await window.dialogButton('Use Mine');
    await editor.saved();
    assert.equal((await service.record(id))['tag'], 'mine');
  });

  it('is what it is there once the edit is reverted', async () => {
    await mine('mine');
    await theirs('theirs');
    await refresh();
    await window.screen.documents.revertActive();
    await computer().until('their words', () => editor.text.includes('"desc": "theirs"'));
    assert.equal(editor.isDirty, false);
    await mine('mine again');
    await editor.save();
    await editor.saved();
    assert.equal(await desc(), 'mine again');
  });
});
