import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../support/until';
import {
  actionsAt as actions,
  foundRemark as found,
  jsonText as t,
  openFile as open,
  ourRemarks as ours,
  replaceText as replace,
} from './documents';

const complete = {
  name: 'n',
  image: 'i',
  tag: '1',
  runtype: 'args',
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
  private: true,
};

async function applyFix(document: vscode.TextDocument, code: string, title: string): Promise<unknown> {
  const { range } = await found(document, code);
  const action = (await actions(document, range)).find((one) => one.title === title);
  assert.ok(action?.edit, `no fix "${title}" for ${code}`);
  await vscode.workspace.applyEdit(action.edit);
  return readJson(document);
}

function readJson(document: vscode.TextDocument): unknown {
  try {
    return JSON.parse(document.getText());
  } catch {
    return document.getText();
  }
}

async function lenses(document: vscode.TextDocument): Promise<string[]> {
  const all = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    document.uri,
  );
  return all.map(({ command }) => (command?.title ?? '').replace(/^\$\([\w-]+\) /, ''));
}

describe('template files on disk', () => {
  const file = 'a.gpu-template.json';

  before(async () => {
    // The first command loads the product.
    await vscode.commands.executeCommand('gpuRental.showLog');
  });

  for (const [code, fields, title, after] of [
    ['required', { ...complete, image: undefined }, 'Add "image"', { ...complete, image: '' }],
    [
      'imageWithoutTag',
      { ...complete, tag: undefined },
      'Add "tag": "latest"',
      { ...complete, tag: 'latest' },
    ],
    ['twoTags', { ...complete, image: 'i:2' }, 'Remove "tag"', { ...complete, image: 'i:2', tag: undefined }],
    ['runtypeMismatch', { ...complete, ssh_direct: true }, 'Remove "ssh_direct"', complete],
    [
      'argsOutsideArgs',
      { ...complete, runtype: 'ssh', args_str: 'x' },
      'Remove "args_str"',
      { ...complete, runtype: 'ssh' },
    ],
    ['jupyterOutsideJupyter', { ...complete, jupyter_dir: '/w' }, 'Remove "jupyter_dir"', complete],
    ['onstartMissing', { ...complete, runtype: 'ssh' }, 'Use run type args', complete],
    ['serviceField', { ...complete, hash_id: 'x' }, 'Remove "hash_id"', complete],
    ['unknownField', { ...complete, extra: 1 }, 'Remove "extra"', complete],
    ['envNotText', { ...complete, env: { A: 1 } }, 'Put it in quotes', { ...complete, env: { A: '1' } }],
    [
      'secretInPublic',
      { ...complete, private: false, env: { HF_TOKEN: 'hf_abcdef' } },
      'Make the template private',
      { ...complete, env: { HF_TOKEN: 'hf_abcdef' } },
    ],
  ] as const) {
    it(`are marked and mended: ${code}, "${title}"`, async () => {
      const document = await open(file, t(fields));
      assert.deepEqual(await applyFix(document, code, title), JSON.parse(t(after)));
    });
  }

  for (const [code, fields] of [
    ['onstartLong', { ...complete, onstart: 'x'.repeat(5000) }],
    ['portUnreadable', { ...complete, env: '-p eighty:80' }],
    ['envUnreadable', { ...complete, env: 'stray' }],
    ['envTwice', { ...complete, env: '-e A=1 -e A=2' }],
    ['volumeHint', { ...complete, volume_info: { size: 1 } }],
    ['registryIncomplete', { ...complete, docker_login_repo: 'ghcr.io' }],
    ['registryPasswordInClear', { ...complete, docker_login_pass: 'clear' }],
    ['secretInClear', { ...complete, env: { HF_TOKEN: 'hf_abcdef' } }],
  ] as const) {
    it(`are marked: ${code}`, async () => {
      await found(await open(file, t(fields)), code);
    });
  }

  it('are no longer marked once they are mended', async () => {
    const document = await open(file, t({ ...complete, extra: 1 }));
    await found(document, 'unknownField');
    await replace(document, t(complete));
    await until('no remarks', () => ours(document).length === 0);
  });

  it('write their environment in either form', async () => {
    const document = await open(file, t({ ...complete, env: '-e A=1 -p 80:80' }));
    const rewrite = async (title: string) => {
      const action = (await actions(document, new vscode.Range(0, 0, 0, 1))).find(
        (one) => one.title === title,
      );
      assert.ok(action?.edit, title);
      await vscode.workspace.applyEdit(action.edit);
      return (JSON.parse(document.getText()) as { env: unknown }).env;
    };
    assert.deepEqual(await rewrite('Write the environment as an object'), { A: '1', '-p 80:80': '1' });
    assert.equal(await rewrite('Write the environment as flags'), '-e A=1 -p 80:80');
  });

  it('offer what can be done with them above the first line', async () => {
    assert.deepEqual(await lenses(await open(file, t(complete))), [
      'Create Template From This File',
      'Preview What the Service Will Get',
      'Find Offers',
    ]);
  });

  it('complete fields and explain them', async () => {
    const document = await open(file, '{\n  \n}\n');
    const list = await until('completions', async () => {
      const answer = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        new vscode.Position(1, 2),
      );
      const labels = answer.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return labels.includes('recommended_disk_space') ? labels : undefined;
    });
    assert.ok(list.includes('docker_login_repo'));
  });
});

describe('the workspace file', () => {
  const file = '.vscode/gpu-rental.json';

  it('is marked, mended, and offers to rent', async () => {
    const document = await open(file, t({ image: 'a:1', colour: 'red' }));
    await found(document, 'priceLimitMissing');
    assert.deepEqual(await applyFix(document, 'unknownField', 'Remove "colour"'), { image: 'a:1' });
    assert.deepEqual(await applyFix(document, 'priceLimitMissing', 'Add "maxPricePerHour"'), {
      image: 'a:1',
      maxPricePerHour: 0.5,
    });
    assert.deepEqual(await lenses(document), [
      'Rent for This Workspace',
      'Preview What the Service Will Get',
      'Find Offers',
    ]);
  });

  it('may have comments', async () => {
    const document = await open(file, '{\n  // for training\n  "image": "a:1",\n  "maxPricePerHour": 1\n}\n');
    assert.equal(document.languageId, 'jsonc');
    await until('no remarks', () => ours(document).length === 0);
  });
});

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

  it('say that there is no such file', async () => {
    await assert.rejects(
      async () => vscode.workspace.fs.stat(vscode.Uri.parse('gpurental://templates/999999999/x.json')),
      (error) => error instanceof vscode.FileSystemError && error.code === 'FileNotFound',
    );
  });

  it('of others cannot be written', async () => {
    const uri = await first();
    const foreign = uri.with({ authority: 'public' });
    const { permissions } = await vscode.workspace.fs.stat(foreign);
    assert.equal(permissions, vscode.FilePermission.Readonly);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(foreign, new Uint8Array([123, 125])));
  });

  it('say why they cannot be saved, where they belong to somebody else', async () => {
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
      'Find Offers',
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
