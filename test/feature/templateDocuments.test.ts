import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('templates as documents', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;

  const templates = () => window.view('templates');
  const edits = () => service.sent('PUT').length;

  async function open(name: string): Promise<void> {
    await templates().click(name);
    await editor.shows(`${name}.json`, `"name": "${name}"`);
  }

  /** Types over what was changed elsewhere in the same place, and saves. */
  async function dispute(mine: string, theirs: string): Promise<void> {
    await editor.type({ desc: mine });
    await service.editElsewhere(id, { desc: theirs });
    await editor.save();
    await window.dialog(/Which version do you want to keep/);
  }

  /** Leaves the question, and the editor says that nothing was saved. */
  async function decideLater(): Promise<void> {
    await window.dialogButton('Compare');
    await window.toast(/^Failed to save '[^']+': This template was changed elsewhere/);
    window.clearToasts();
  }

  before(async () => {
    id = await service.make('My Trainer', { env: '-e HF_HOME=/workspace -p 8080:8080', runtype: 'ssh' });
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
    window.clearToasts();
    await open('My Trainer');
  });

  it('sends nothing when nothing was changed', async () => {
    await editor.save();
    await editor.type({});
    assert.equal(editor.isDirty, true);
    await editor.save();
    await editor.saved();
    assert.equal(edits(), 0);
  });

  it('stays unsaved with the reason when the service refuses it', async () => {
    await editor.type({ recommended_disk_space: 0 });
    await editor.save();
    await window.toast(/must be above 0/);
    assert.equal(editor.isDirty, true);
    await editor.finding('error');
    await editor.type({ recommended_disk_space: 20 });
    await editor.save();
    await editor.saved();
    assert.equal((await service.record(id))['recommended_disk_space'], 20);
    await computer().until('the mark to go', () => editor.findings('error').length === 0);
    window.clearToasts();
  });

  it('removes the reason with the text that was refused', async () => {
    await editor.type({ desc: 'refused' });
    const refusal = { status: 400, error: 'invalid_args', msg: 'Not like this.' };
    computer().simulator.fail({ kind: 'error', method: 'PUT', path: '/api/v0/template/', ...refusal });
    await editor.save();
    await window.toast(/Not like this/);
    await editor.finding('error');
    await editor.type({ desc: 'another one' });
    await computer().until('the mark to go', () => editor.findings('error').length === 0);
    assert.equal(editor.isDirty, true);
    await editor.type({ desc: 'old words' });
    await editor.save();
    await editor.saved();
    window.clearToasts();
  });

  it('removes its marks when it is closed, though the editor keeps the document for a while', async () => {
    const { documents, languages } = window.screen;
    const { document } = editor;
    const marks = () => languages.diagnosticsOf(document.uri).length;
    await editor.type({ recommended_disk_space: 0 });
    await editor.save();
    await window.toast(/must be above 0/);
    await editor.finding('error');
    documents.closeTabs(document.uri);
    await computer().until('the marks to go', () => marks() === 0);
    await computer().pass(60_000);
    assert.equal(marks(), 0);
    await open('My Trainer');
    await editor.type({ recommended_disk_space: 20 });
    await editor.save();
    await editor.saved();
    window.clearToasts();
  });

  it('follows a new name in the list and stays the same document', async () => {
    await editor.type({ name: 'My Trainer, renamed' });
    await editor.save();
    await editor.saved();
    await templates().row('My Trainer, renamed');
    await editor.type({ name: 'My Trainer' });
    await editor.save();
    await editor.saved();
    const { name, desc } = await service.record(id);
    assert.deepEqual([name, desc], ['My Trainer', 'old words']);
    await templates().noRow('renamed');
  });

  it('is the same document where it is opened under its new name', async () => {
    await editor.type({ name: 'My Trainer, renamed' });
    await editor.save();
    await editor.saved();
    await templates().click('My Trainer, renamed');
    await computer().rest();
    const shown = window.screen.documents.all.filter(({ uri }) => uri.path.startsWith(`/${id}/`));
    assert.deepEqual(
      shown.map(({ uri }) => uri.path),
      [`/${id}/My Trainer.json`],
    );
    await editor.type({ name: 'My Trainer' });
    await editor.save();
    await editor.saved();
    await templates().noRow('renamed');
  });

  it('is listed with the age of the list where that could not be read again', async () => {
    computer().simulator.fail({ kind: 'error', status: 500, path: '/api/v0/template/', times: 3 });
    await computer().pass(60_000);
    window.run('Refresh');
    await templates().row(/^Could not refresh since \d+:\d+ \S+ Select to retry\. /);
    await templates().row('My Trainer');
    window.run('Refresh');
    await templates().noRow('Could not refresh');
    window.clearToasts();
  });

  it('is not denied by an empty list while the list is read', async () => {
    const path = '/api/v0/template/';
    const other = await computer().openWindow({ isFocused: false });
    await other.view('instances').rows();
    computer().simulator.fail({ kind: 'delay', delayMs: 20_000, method: 'GET', path });
    const { tree } = other.view('templates').show();
    const rows = tree.rows();
    // The editor asks again whenever the state of the list changes.
    const again = tree.rows();
    const first = await Promise.race([
      again,
      computer()
        .rest()
        .then(() => 'none yet'),
    ]);
    assert.equal(first, 'none yet');
    await computer().pass(30_000);
    for (const shown of [await rows, await again]) {
      assert.ok(shown.some(({ text }) => /^Mine/.test(text)));
    }
    other.close();
  });

  it('is marked in the list while it is not saved', async () => {
    const other = await service.make('Second');
    window.run('Refresh');
    await open('Second');
    await editor.type({ tag: '2.6' });
    await templates().row('Second (unsaved)');
    assert.equal(templates().tree.badge?.value, 1);
    await editor.save();
    await editor.saved();
    await templates().noRow('unsaved');
    assert.deepEqual(Object.keys(service.sent('PUT').at(-1) ?? {}).sort(), ['hash_id', 'tag']);
    assert.equal((await service.record(other))['tag'], '2.6');
    await editor.closeAll();
  });

  it('becomes theirs if both changed one place and the user chooses that', async () => {
    await open('My Trainer');
    await dispute('mine', 'theirs');
    await window.dialogButton('Use Theirs');
    await editor.saved();
    await computer().until('their words', () => editor.text.includes('"desc": "theirs"'));
    assert.equal((await service.record(id))['desc'], 'theirs');
    window.clearToasts();
  });

  it('is merged variable by variable, yours kept where both changed one', async () => {
    await editor.type({ env: { HF_HOME: '/mine', '-p 8080:8080': '1', MINE: '1' } });
    await service.editElsewhere(id, { env: '-e HF_HOME=/theirs -e THEIRS=1 -p 8080:8080' });
    await editor.save();
    await window.dialogButton('Use Mine', /Changed in both: env\.HF_HOME/);
    await editor.saved();
    await computer().until('their variable', () => editor.text.includes('"THEIRS": "1"'));
    assert.equal((await service.record(id))['env'], '-e HF_HOME=/mine -p 8080:8080 -e MINE=1 -e THEIRS=1');
    window.clearToasts();
  });

  it('accepts one disputed place from theirs by a quick fix', async () => {
    await editor.type({ desc: 'mine', tag: 'mine' });
    await service.editElsewhere(id, { desc: 'theirs again', tag: 'theirs' });
    await editor.save();
    await decideLater();
    await computer().until('both places to be marked', () => editor.findings('error').length === 2);
    await editor.fix('"desc"', 'Take Theirs Here');
    assert.match(editor.text, /"desc": "theirs again"/);
    await computer().until('one disputed place', () => editor.findings('error').length === 1);
    for (const title of ['Changed elsewhere too: compare', 'Use Theirs', 'Merge']) {
      await editor.lens(title);
    }
    await editor.press('Use Mine');
    await editor.saved();
    const now = await service.record(id);
    assert.deepEqual([now['desc'], now['tag']], ['theirs again', 'mine']);
    await editor.noLens('Use Mine');
    assert.throws(() => window.screen.commands.inPalette('Use My Version of the Template'));
  });

  it('is compared, merged or given up from above its first line', async () => {
    const diffs = () => window.screen.commands.executed.filter((one) => one.id === 'vscode.diff').length;
    await dispute('mine again', 'theirs');
    await decideLater();
    const before = diffs();
    await editor.press('Changed elsewhere too: compare');
    assert.equal(diffs(), before + 1);
    await editor.type({ tag: 'typed later' });
    await editor.press('Merge');
    await window.toast('Your version was kept in: desc.');
    await editor.save();
    await editor.saved();
    const merged = await service.record(id);
    assert.deepEqual([merged['desc'], merged['tag']], ['mine again', 'typed later']);
    window.clearToasts();
    await dispute('mine once more', 'theirs at last');
    await decideLater();
    await editor.press('Use Theirs');
    await editor.saved();
    assert.match(editor.text, /"desc": "theirs at last"/);
    assert.equal((await service.record(id))['desc'], 'theirs at last');
    await editor.noLens('Use Theirs');
  });

  it('becomes mine by copying, as a draft that is created when it is saved', async () => {
    const before = service.sent('POST').length;
    await templates().menu('My Trainer', 'Duplicate Template');
    await editor.shows('Copy of My Trainer.json', '"name": "Copy of My Trainer"');
    assert.equal(service.sent('POST').length, before);
    await editor.press('Create at the Service');
    await templates().row('Copy of My Trainer');
    assert.equal(service.sent('POST').length, before + 1);
    await editor.lens('Rent');
    assert.equal(editor.isDirty, false);
  });

  it('is deleted only after a question that names it', async () => {
    const deletions = () => service.sent('DELETE').length;
    await templates().menu('Copy of My Trainer', 'Delete Template');
    await window.dialog('Copy of My Trainer');
    assert.equal(deletions(), 0);
    await window.dialogButton('Delete');
    await computer().until('the deletion', () => deletions() === 1);
    await templates().noRow(/^Copy of My Trainer/);
    await editor.closeAll();
  });

  it('shows what the service will get', async () => {
    await open('My Trainer');
    await editor.press('Preview What the Service Will Get');
    await window.document('"template_hash_id"');
    const diff = window.screen.commands.executed.findLast((one) => one.id === 'vscode.diff');
    assert.match(String(diff?.args[2]), /what is sent/);
    await editor.closeAll();
  });

  it('is rented for a workspace that names it, never above its limit', async () => {
    const folder = path.join(computer().workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    const recipe = {
      template: { id, name: 'My Trainer' },
      filters: { num_gpus: { eq: 1 } },
      diskGb: 40,
      env: { FROM_REPO: 'yes' },
      maxPricePerHour: 0.4,
    };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(recipe));
    window.run('Rent for This Workspace…');
    await window.quick.title('Search Offers for This Workspace');
    await window.quick.row('% reliable');
    const search = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<
      string,
      unknown
    >;
    assert.deepEqual(search['num_gpus'], { eq: 1 });
    assert.deepEqual(search['dph_total'], { lte: 0.4 });
    assert.equal(search['allocated_storage'], 40);
    window.quick.escape();
  });
});
