import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { until } from '../support/until';

describe('A folder that is mirrored to an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let folder: string;
  let there: string;
  let alias: string;
  const instances = () => window.view('instances');
  const here = (...parts: string[]) => path.join(folder, ...parts);
  const onMachine = (...parts: string[]) => path.join(there, ...parts);
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
  /** The machine works in real time, which the clock of the product would jump over. */
  const has = (file: string, content: string | undefined) =>
    until(`the content of ${file}`, async () => {
      await computer().pass(100);
      return read(file) === content;
    });
  const edit = async (name: string, content: string) => {
    const document = await window.screen.documents.openUri(FakeUri.file(here(name)));
    await window.screen.documents.show(document.uri);
    const editor = new DocumentDriver(window);
    await editor.replaceAll(content);
    return editor;
  };

  before(async () => {
    folder = path.join(computer().workspace, 'project');
    mkdirSync(here('data'), { recursive: true });
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(here('.gitignore'), 'cache/\n');
    mkdirSync(here('cache'));
    writeFileSync(here('cache', 'big.bin'), 'x');
    writeFileSync(here('.env'), 'SECRET=1\n');
    writeFileSync(here('train.py'), 'epochs = 3\n');
    writeFileSync(here('data', 'table.csv'), 'a,b\n');
    id = await reachableInstance(computer(), 'trainer');
    there = path.join(computer().root, 'instances', String(id), 'project');
    window = await computer().openWindow({ folders: [folder] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('states what is sent and what stays, and sends nothing without an answer', async () => {
    await instances().menu('trainer', 'Mirror Folder to Instance…');
    const question = await window.dialog('Mirror project to trainer?');
    assert.match(question.detail ?? '', /Sends 3 files, 22 B, to the folder project/);
    assert.match(
      question.detail ?? '',
      /\.git, because .*; files that Git ignores; \.env \(may be a secret\)/,
    );
    question.press('Not Now');
    await computer().rest();
    assert.equal(existsSync(there), false);
  });

  it('is sent after it, from the explorer as well', async () => {
    await edit('train.py', 'epochs = 4\n');
    window.start('gpuRental.mirror.start', FakeUri.file(folder), [FakeUri.file(folder)]);
    const question = await window.dialog('Mirror project to trainer?');
    assert.match(question.detail ?? '', /Not saved, so not sent: train\.py\./);
    question.press('Mirror');
    await has(onMachine('train.py'), 'epochs = 3\n');
    await instances().expand('trainer');
    await instances().row(/^Mirror of project in step at/);
    assert.equal(read(onMachine('data', 'table.csv')), 'a,b\n');
    for (const name of ['.git', '.env', 'cache']) {
      assert.equal(existsSync(onMachine(name)), false, name);
    }
  });

  it('shows what stays on this computer, with the reason', async () => {
    await instances().expand('Mirror of project');
    await instances().expand('Stays on This Computer');
    await instances().row('.env may be a secret');
  });

  it('is sent as it is saved, created and deleted', async () => {
    const editor = new DocumentDriver(window);
    await editor.save();
    await editor.saved();
    await has(onMachine('train.py'), 'epochs = 4\n');
    writeFileSync(here('run.sh'), 'x\r\n');
    await (await edit('run.sh', 'y\r\n')).save();
    await window.toastButton(/The lines of run\.sh end as on Windows/, 'Convert to LF');
    await until('the conversion', () => read(here('run.sh')) === 'y\n');
    rmSync(here('run.sh'));
    writeFileSync(here('new.py'), 'new\n');
    window.screen.watched.created.fire(FakeUri.file(here('new.py')));
    await has(onMachine('new.py'), 'new\n');
    rmSync(here('new.py'));
    window.screen.watched.deleted.fire(FakeUri.file(here('new.py')));
    await has(onMachine('new.py'), undefined);
  });

  it('lists what changes there, compares it, and fetches it', async () => {
    writeFileSync(onMachine('result.csv'), 'loss\n');
    writeFileSync(onMachine('train.py'), 'epochs = 40\n');
    await instances().inline('Mirror of project', 'Compare Now');
    await instances().row('Changed on the Instance 2');
    await instances().row('result.csv new · 5 B');
    await instances().click('train.py');
    const { executed } = window.screen.commands;
    const diff = await computer().until('the comparison', () =>
      executed.find(({ id }) => id === 'vscode.diff'),
    );
    assert.equal(diff.args[2], 'train.py: trainer ↔ this computer');
    alias = (diff.args[0] as { readonly authority: string }).authority;
    await instances().menu('result.csv', 'Fetch');
    await has(here('result.csv'), 'loss\n');
    await instances().noRow('result.csv');
    await instances().inline('Changed on the Instance', 'Fetch All');
    await has(here('train.py'), 'epochs = 40\n');
    await instances().noRow('Changed on the Instance');
  });

  it('keeps both versions of what was changed on both sides, until the user decides', async () => {
    writeFileSync(onMachine('train.py'), 'epochs = 5 # there\n');
    writeFileSync(here('train.py'), 'epochs = 6\n');
    window.screen.watched.changed.fire(FakeUri.file(here('train.py')));
    const compared = () => window.screen.commands.executed.filter(({ id }) => id === 'vscode.diff').length;
    const before = compared();
    await window.toastButton('Changed here and on trainer, so not sent: train.py.', 'Compare');
    await computer().until('the difference', () => compared() > before);
    await instances().row(/^Mirror of project 1 on both sides/);
    assert.deepEqual(await instances().menuTexts('Changed on the Instance'), []);
    assert.equal(read(onMachine('train.py')), 'epochs = 5 # there\n');
    await instances().menu('train.py', 'Keep Mine');
    await has(onMachine('train.py'), 'epochs = 6\n');
    await instances().noRow('train.py');
    writeFileSync(onMachine('train.py'), 'epochs = 7 # there\n');
    writeFileSync(here('train.py'), 'epochs = 8\n');
    await instances().inline('Mirror of project', 'Compare Now');
    await instances().row(/^Mirror of project 1 on both sides/);
    await instances().menu('train.py', "Keep the Instance's");
    await has(here('train.py'), 'epochs = 7 # there\n');
    await instances().noRow('train.py');
    window.clearToasts();
  });

  it('sends again what is gone there, or deletes it here, by decision', async () => {
    rmSync(onMachine('train.py'));
    rmSync(onMachine('result.csv'));
    await instances().inline('Mirror of project', 'Compare Now');
    await instances().menu('train.py', 'Keep Mine');
    await has(onMachine('train.py'), 'epochs = 7 # there\n');
    await instances().menu('result.csv', "Keep the Instance's");
    await has(here('result.csv'), undefined);
    await instances().noRow('Changed on the Instance');
  });

  it('replaces no notebook that has unsaved changes here', async () => {
    writeFileSync(here('a.ipynb'), 'one');
    await instances().inline('Mirror of project', 'Compare Now');
    await has(onMachine('a.ipynb'), 'one');
    writeFileSync(onMachine('a.ipynb'), 'theirs');
    await instances().inline('Mirror of project', 'Compare Now');
    const notebook = window.screen.openNotebook(here('a.ipynb'));
    notebook.isDirty = true;
    await instances().menu('a.ipynb', 'Fetch');
    await window.toast('Not fetched, because they have unsaved changes here: a.ipynb.');
    assert.equal(read(here('a.ipynb')), 'one');
    notebook.isDirty = false;
    await instances().menu('a.ipynb', 'Fetch');
    await has(here('a.ipynb'), 'theirs');
    window.clearToasts();
  });

  it('asks before it deletes many files there', async () => {
    for (let at = 0; at < 60; at += 1) {
      writeFileSync(here('data', `part ${at}`), String(at));
    }
    await instances().inline('Mirror of project', 'Compare Now');
    await has(onMachine('data', 'part 59'), '59');
    rmSync(here('data'), { recursive: true });
    await instances().inline('Mirror of project', 'Compare Now');
    await window.toastButton('61 files of project are gone here. Delete them on trainer too?', 'Review…');
    (await window.dialog('Delete 61 files on trainer?')).close();
    await computer().rest();
    assert.equal(read(onMachine('data', 'part 59')), '59');
    await instances().row('Mirror of project waits for your answer');
    await instances().click('Mirror of project');
    const question = await window.dialog('Delete 61 files on trainer?');
    assert.match(question.detail ?? '', /kept beside the mirror for a week/);
    question.press('Delete');
    await has(onMachine('data', 'part 59'), undefined);
    await instances().row(/^Mirror of project in step/);
  });

  it('shows names of the machine as plain text', async () => {
    writeFileSync(onMachine('$(trash) [x](command:y).txt'), 'x');
    await instances().inline('Mirror of project', 'Compare Now');
    await instances().row('$ (trash) [x] - (command:y).txt');
    rmSync(onMachine('$(trash) [x](command:y).txt'));
  });

  it('is compared again when the window gets the focus', async () => {
    writeFileSync(onMachine('later.csv'), 'x');
    window.screen.focus(false);
    await computer().pass(60_000);
    window.screen.focus(true);
    await until('the row', async () => {
      await computer().pass(100);
      return (await instances().texts()).some((text) => text.startsWith('later.csv'));
    });
  });

  it('continues after a reload, and in no window that has another folder', async () => {
    const other = await computer().openWindow({ folders: [] });
    await other.view('instances').expand('trainer');
    await other.view('instances').row('Mirror of project not open in this window');
    other.close();
    window.close();
    const before = read(onMachine('train.py'));
    writeFileSync(here('train.py'), 'epochs = 9\n');
    utimesSync(here('train.py'), 1, 1);
    window = await computer().openWindow({ folders: [folder], isTrusted: false });
    await computer().pass(60_000);
    window.start('gpuRental.mirror.start', FakeUri.file(here('data')), [FakeUri.file(here('data'))]);
    await window.toast(/^This workspace is not trusted, so its folder/);
    window.clearToasts();
    await instances().expand('trainer');
    await instances().inline('Mirror of project', 'Compare Now');
    await window.toast(/^This workspace is not trusted, so its folder/);
    assert.equal(read(onMachine('train.py')), before);
    window.nature.current = { ...window.nature.current, isTrusted: true };
    window.screen.trustGranted.fire(undefined);
    await has(onMachine('train.py'), 'epochs = 9\n');
  });

  it('is offered in place of its mirror where a remote window has that open', async () => {
    const remote = await computer().openWindow({
      remoteName: 'ssh-remote',
      folders: [`vscode-remote://ssh-remote+${alias}${there}`],
    });
    await until('the message', async () => {
      await computer().pass(100);
      return remote.toasts().some((one) => one.startsWith(`This folder is the mirror of ${folder}.`));
    });
    await remote.toastButton(/^This folder is the mirror of/, 'Open Local Folder');
    assert.equal((await remote.opens()).address, `file://${folder}`);
    remote.close();
  });

  it('is not sent to an instance that was stopped, and once it runs again', async () => {
    const set = (state: string) => computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state });
    await instances().expand('trainer');
    await set('stopped');
    await instances().row(/^trainer .*Stopped/);
    writeFileSync(here('train.py'), 'epochs = 10\n');
    window.screen.watched.changed.fire(FakeUri.file(here('train.py')));
    await computer().until('that it waits', () =>
      window.screen.log.some((line) => /mirror of instance .* waits: .*not running: Stopped/.test(line)),
    );
    assert.equal(read(onMachine('train.py')), 'epochs = 9\n');
    await set('running');
    await instances().noRow(/Stopped/);
    await has(onMachine('train.py'), 'epochs = 10\n');
  });

  it('is sent no more once the user stops it, and stays where it is', async () => {
    await instances().expand('trainer');
    await instances().menu('Mirror of project', 'Stop Mirroring');
    await instances().noRow('Mirror of project');
    writeFileSync(here('train.py'), 'epochs = 11\n');
    window.screen.watched.changed.fire(FakeUri.file(here('train.py')));
    await computer().pass(60_000);
    assert.equal(read(onMachine('train.py')), 'epochs = 10\n');
  });
});
