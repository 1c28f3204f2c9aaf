import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../support/until';
import {
  actionsAt as actions,
  foundRemark as found,
  jsonText as t,
  lensesOf as lenses,
  ourRemarks as ours,
  replaceText as replace,
} from './documents';

describe('templates of an account', () => {
  const root = vscode.Uri.parse('gpurental://templates/');

  before(async function () {
    this.timeout(60_000);
    await vscode.commands.executeCommand('gpuRental.tryDemo');
  });

  async function first(): Promise<vscode.Uri> {
    const [folder] = await vscode.workspace.fs.readDirectory(root);
    assert.ok(folder);
    const inside = vscode.Uri.joinPath(root, folder[0]);
    const [file] = await vscode.workspace.fs.readDirectory(inside);
    assert.ok(file);
    return vscode.Uri.joinPath(inside, file[0]);
  }

  const read = async (uri: vscode.Uri) =>
    JSON.parse(new TextDecoder().decode(await vscode.workspace.fs.readFile(uri))) as Record<string, unknown>;

  it('are the same document under a stale name', async () => {
    const [, folder] = await vscode.workspace.fs.readDirectory(root);
    assert.ok(folder);
    const inside = vscode.Uri.joinPath(root, folder[0]);
    const stale = vscode.Uri.joinPath(inside, 'stale name.json');
    const fields = await read(stale);
    // Once the folder was looked into, its file is the only one.
    const [file] = await vscode.workspace.fs.readDirectory(inside);
    assert.ok(file);
    assert.deepEqual(await read(vscode.Uri.joinPath(inside, file[0])), fields);
    await assert.rejects(
      async () => vscode.workspace.fs.stat(stale),
      (error) => error instanceof vscode.FileSystemError && error.code === 'FileNotFound',
    );
  });

  it('are files with a time that changes only with their text', async () => {
    const uri = await first();
    const before = await vscode.workspace.fs.stat(uri);
    const again = await vscode.workspace.fs.stat(uri);
    assert.deepEqual(again, before);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    assert.equal(document.languageId, 'json');
    const fields = await read(uri);
    await replace(document, t({ ...fields, desc: 'edited in the editor' }));
    assert.equal(await document.save(), true);
    assert.ok((await vscode.workspace.fs.stat(uri)).mtime > before.mtime);
    assert.equal((await read(uri))['desc'], 'edited in the editor');
  });

  it('get another name when their file does', async () => {
    const uri = await first();
    const other = uri.with({ path: uri.path.replace(/[^/]+\.json$/, 'Renamed.json') });
    await vscode.workspace.fs.rename(uri, other);
    assert.equal((await read(other))['name'], 'Renamed');
  });

  it('report that a file does not exist', async () => {
    await assert.rejects(
      async () => vscode.workspace.fs.stat(vscode.Uri.parse('gpurental://templates/999999999/x.json')),
      (error) => error instanceof vscode.FileSystemError && error.code === 'FileNotFound',
    );
  });

  it('of others can’t be written', async () => {
    const uri = await first();
    const foreign = uri.with({ authority: 'public' });
    const { permissions } = await vscode.workspace.fs.stat(foreign);
    assert.equal(permissions, vscode.FilePermission.Readonly);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(foreign, new Uint8Array([123, 125])));
  });

  it('explain why they can’t be saved, if they belong to another user', async () => {
    const mine = new Set((await vscode.workspace.fs.readDirectory(root)).map(([name]) => name));
    // The first ones of the demo are those that it recommends.
    const foreign = [...Array(50).keys()].map((index) => String(215_001 + index)).find((id) => !mine.has(id));
    const uri = vscode.Uri.joinPath(root, foreign ?? '', 'theirs.json');
    assert.equal((await vscode.workspace.fs.stat(uri)).permissions, vscode.FilePermission.Readonly);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    assert.match((await found(document, 'readOnly')).message, /belongs to another user/);
  });

  it('offer the value that saving lacks, and stay unsaved', async () => {
    const uri = await first();
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const before = document.getText();
    const login = { docker_login_repo: 'ghcr.io', docker_login_user: 'me' };
    await replace(
      document,
      t({ ...(JSON.parse(before) as object), ...login, docker_login_pass: '${secret:unheard-of}' }),
    );
    assert.equal(await document.save(), false);
    const { range, message } = await found(document, 'notSaved');
    assert.match(message, /unheard-of/);
    assert.ok((await actions(document, range)).some(({ title }) => title === 'Enter the Value…'));
    // For a moment after a refused save, each question for its time is answered with the refusal.
    await until('the file to be asked for', async () => {
      try {
        return await vscode.workspace.fs.stat(uri);
      } catch {
        return false;
      }
    });
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await until('the document to be as it was', () => !document.isDirty && document.getText() === before);
    await until('no remark', () => ours(document).every(({ code }) => code !== 'notSaved'));
  });

  it('keep what is not saved of them when their file gets another name', async () => {
    const uri = await first();
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    await replace(document, t({ ...(JSON.parse(document.getText()) as object), desc: 'typed, not saved' }));
    const other = uri.with({ path: uri.path.replace(/[^/]+\.json$/, 'Renamed while edited.json') });
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uri, other);
    await vscode.workspace.applyEdit(edit);
    const renamed = await vscode.workspace.openTextDocument(other);
    await vscode.window.showTextDocument(renamed);
    await until('the edit', () => renamed.getText().includes('typed, not saved'));
    await until('its name', () => renamed.getText().includes('"Renamed while edited"'));
    assert.equal(await renamed.save(), true);
    const saved = await read(other);
    assert.deepEqual([saved['name'], saved['desc']], ['Renamed while edited', 'typed, not saved']);
  });

  it('show in the hover what only the service knows', async () => {
    const uri = await first();
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const at = document.positionAt(document.getText().indexOf('"name"') + 2);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      at,
    );
    const words = hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (content instanceof vscode.MarkdownString ? content.value : ''))
      .join('\n');
    // Every mark is escaped, so that nothing of a template is Markdown.
    assert.match(words, /hash\\_id/);
  });

  it('show what the service will get', async () => {
    const uri = await first();
    await vscode.commands.executeCommand('gpuRental.template.preview', { uri: uri.toString() });
    const preview = await until('the preview', () =>
      vscode.workspace.textDocuments.find(
        (one) => one.uri.authority === 'preview' && one.getText().includes('template_hash_id'),
      ),
    );
    assert.match(preview.getText(), /"cancel_unavail": true/);
  });

  it('are copied to drafts, which become templates when they are saved', async () => {
    const uri = await first();
    const templateId = Number(uri.path.split('/')[1]);
    await vscode.commands.executeCommand('gpuRental.template.duplicate', { templateId });
    const draft = await until('the draft', () =>
      vscode.workspace.textDocuments.find((one) => one.uri.path.startsWith('/new-')),
    );
    assert.deepEqual(await lenses(draft), [
      'Create at the Service',
      'Preview What the Service Will Get',
      'Find Offers for This Document',
    ]);
    const before = (await vscode.workspace.fs.readDirectory(root)).length;
    await replace(draft, t({ ...(JSON.parse(draft.getText()) as object), desc: 'a copy' }));
    assert.equal(await draft.save(), true);
    await until(
      'one more template',
      async () => (await vscode.workspace.fs.readDirectory(root)).length === before + 1,
    );
    await until(
      'the document of the template',
      () => vscode.window.activeTextEditor?.document.uri.path.startsWith('/new-') === false,
    );
  });

  it('are put on the clipboard by id and hash', async () => {
    const templateId = Number((await first()).path.split('/')[1]);
    await vscode.commands.executeCommand('gpuRental.template.copyId', { templateId });
    assert.equal(await vscode.env.clipboard.readText(), String(templateId));
    await vscode.commands.executeCommand('gpuRental.template.copyHash', { templateId });
    assert.match(await vscode.env.clipboard.readText(), /^[0-9a-f]{32}$/);
  });
});
