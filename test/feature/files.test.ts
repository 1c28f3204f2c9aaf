import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('The files of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let home = '';
  const instances = () => window.view('instances');
  const onMachine = (...parts: string[]) => path.join(home, ...parts);

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('are listed when the user opens them', async () => {
    await instances().expand('trainer');
    await instances().expand('Files');
    await instances().noRow('Loading…');
    await instances().inline('Files', 'Go to Path…');
    await window.quick.title('Go to Path');
    home = window.quick.open.value;
    assert.notEqual(home, '/');
    await window.quick.enter();
    mkdirSync(onMachine('data', 'deep'), { recursive: true });
    writeFileSync(onMachine('notes.txt'), 'first\n');
    writeFileSync(onMachine('$(trash) [x](command:y).txt'), 'x');
    for (let one = 1; one <= 1_002; one++) {
      writeFileSync(onMachine('data', 'deep', `part ${one}`), '');
    }
    symlinkSync('data', onMachine('link'));
    await instances().inline('Files', 'Refresh Files');
    await instances().row('notes.txt');
    await instances().row(/trash/);
    const rows = await instances().texts();
    assert.ok(
      rows.findIndex((one) => one.includes('data')) < rows.findIndex((one) => one.includes('notes.txt')),
    );
  });

  it('are shown in pages', async () => {
    await instances().expand('data');
    await instances().expand('deep');
    await instances().row('part 1000');
    assert.ok(!(await instances().texts()).some((one) => one.includes('part 1001')));
    await instances().click('2 more');
    await instances().row('part 1002');
  });

  it('have no menu where their names are not UTF-8, which a transfer would miss', async () => {
    const odd = Buffer.concat([Buffer.from(onMachine('odd ')), Buffer.from([0xff])]);
    mkdirSync(odd);
    await instances().inline('Files', 'Refresh Files');
    const row = await instances().row(String.raw`odd \xff`);
    assert.equal(row.item.contextValue, undefined);
  });

  it('are found by a path with spaces around it', async () => {
    await instances().inline('Files', 'Go to Path…');
    await window.quick.title('Go to Path');
    await window.quick.type(` ${onMachine('notes.txt')} `);
    await new DocumentDriver(window).shows('notes.txt', 'first');
  });

  it('open as documents, and are saved there', async () => {
    await instances().click('notes.txt');
    const editor = new DocumentDriver(window);
    await editor.shows('notes.txt', 'first');
    await editor.replaceAll('second\n');
    await editor.save();
    await editor.saved();
    assert.equal(readFileSync(onMachine('notes.txt'), 'utf8'), 'second\n');
  });

  it('are not overwritten unasked where they changed there', async () => {
    const editor = new DocumentDriver(window);
    writeFileSync(onMachine('notes.txt'), 'others\n');
    // The editor itself asks where a file is newer than what it read.
    utimesSync(onMachine('notes.txt'), 1, 1);
    await editor.replaceAll('mine!!\n');
    await editor.save();
    await window.dialogButton('Cancel', /was changed on the instance/);
    await window.toast(/^Failed to save 'notes\.txt': Not saved/);
    assert.equal(readFileSync(onMachine('notes.txt'), 'utf8'), 'others\n');
    await editor.save();
    await window.dialogButton('Overwrite', /was changed on the instance/);
    await editor.saved();
    assert.equal(readFileSync(onMachine('notes.txt'), 'utf8'), 'mine!!\n');
    assert.ok(!readdirSync(home).some((name) => name.includes('.part')));
  });

  it('are saved unasked where a save whose answer was lost has arrived', async () => {
    const editor = new DocumentDriver(window);
    await editor.replaceAll('mine again\n');
    writeFileSync(onMachine('notes.txt'), 'mine again\n');
    utimesSync(onMachine('notes.txt'), 1, 1);
    await editor.save();
    await editor.saved();
    await editor.replaceAll('mine!!\n');
    await editor.save();
    await editor.saved();
    window.clearToasts();
  });

  it('are refused to another extension that writes them, too', async () => {
    const { document } = new DocumentDriver(window);
    writeFileSync(onMachine('notes.txt'), 'others\n');
    utimesSync(onMachine('notes.txt'), 1, 1);
    const provider = window.screen.documents.files.systems.get(document.uri.scheme) ?? assert.fail();
    const content = Buffer.from('by another extension\n');
    const written = assert.rejects(
      async () => provider.writeFile(document.uri, content, { create: true, overwrite: true }),
      /Not saved/,
    );
    await window.dialogButton('Cancel', /was changed on the instance/);
    await written;
    writeFileSync(onMachine('notes.txt'), 'mine!!\n');
  });

  it('are uploaded into a folder of the tree, and downloaded from it', async () => {
    const local = (...parts: string[]) => path.join(computer().workspace, ...parts);
    writeFileSync(local('weights.bin'), 'w');
    window.screen.fileDialogs.push([local('weights.bin')]);
    await instances().menu('data', 'Upload…');
    await window.quick.pick('Files…');
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('data', 'weights.bin'), 'utf8'), 'w');
    await instances().row('weights.bin');
    mkdirSync(local('back'));
    window.screen.fileDialogs.push([local('back')]);
    await instances().menu('notes.txt', 'Download…');
    await window.toast('Downloading from trainer: done');
    assert.equal(readFileSync(local('back', 'notes.txt'), 'utf8'), 'mine!!\n');
  });

  it('are downloaded together where several are selected, into one folder', async () => {
    const local = (...parts: string[]) => path.join(computer().workspace, ...parts);
    writeFileSync(onMachine('second.txt'), '2');
    await instances().inline('Files', 'Refresh Files');
    mkdirSync(local('several'));
    window.screen.fileDialogs.push([local('several')]);
    // The folder brings what is selected in it.
    await instances().menu('notes.txt', 'Download…', ['second.txt', 'data', 'weights.bin']);
    await window.toast('Downloading from trainer: done');
    assert.deepEqual(readdirSync(local('several')).sort(), ['data', 'notes.txt', 'second.txt']);
    assert.equal(readFileSync(local('several', 'data', 'weights.bin'), 'utf8'), 'w');
    window.clearToasts();
  });

  it('are uploaded where they are dropped on a folder, and replaced only after a question', async () => {
    const local = path.join(computer().workspace, 'weights.bin');
    writeFileSync(local, 'newer');
    await instances().drop(/^data/, [local]);
    await window.dialogButton('Replace', /Replace 1 file on trainer\?/);
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('data', 'weights.bin'), 'utf8'), 'newer');
    window.clearToasts();
    const added = path.join(computer().workspace, 'added.txt');
    writeFileSync(added, 'a');
    await instances().drop('Files', [added]);
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('added.txt'), 'utf8'), 'a');
    await instances().drop('notes.txt', [local]);
    await window.toast('Drop files on a folder of an instance.');
    assert.ok(!readdirSync(home).includes('weights.bin'));
    window.clearToasts();
  });

  it('are dragged as documents, and folders are not', async () => {
    const { document } = new DocumentDriver(window);
    assert.deepEqual(await instances().drag('notes.txt'), [document.uri.toString()]);
    assert.deepEqual(await instances().drag(/^data/), []);
  });

  it('are uploaded from the explorer', async () => {
    const local = (name: string) => path.join(computer().workspace, name);
    for (const name of ['a.txt', 'b.txt']) {
      writeFileSync(local(name), name);
    }
    const [one, two] = ['a.txt', 'b.txt'].map((name) => FakeUri.file(local(name)));
    window.start('gpuRental.uploadFiles', one, [one, two]);
    await window.quick.message('Target folder');
    await window.quick.type(onMachine('up'));
    await window.toast('Uploading to trainer: done');
    assert.deepEqual(readdirSync(onMachine('up')).sort(), ['a.txt', 'b.txt']);
  });

  it('open again with a window, before anything else does', async () => {
    const { document } = new DocumentDriver(window);
    window.close();
    window = await computer().openWindow();
    const again = await window.screen.documents.openUri(FakeUri.parse(document.uri.toString()));
    assert.equal(again.getText(), 'mine!!\n');
    await instances().expand('trainer');
    await instances().expand('Files');
    await instances().row('notes.txt');
  });

  it('follow a link to its folder', async () => {
    await instances().click('link');
    await instances().row('deep');
    assert.ok(!(await instances().texts()).some((one) => one.includes('notes.txt')));
  });
});
