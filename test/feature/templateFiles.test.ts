import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { FakeUri, type FakeFileSystemError } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the files of templates', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let id: number;
  let other: number;

  const uri = (text: string) => FakeUri.parse(`gpurental://${text}`);
  /** As the explorer of the editor and other extensions use files. */
  const files = (): vscode.FileSystemProvider => {
    const found = window.screen.documents.files.systems.get('gpurental');
    assert.ok(found, 'there are no files of templates');
    return found;
  };
  const asked = <T>(what: string, work: T | PromiseLike<T>) =>
    computer().settled(what, Promise.resolve(work));
  const refused = async (what: string, work: () => unknown): Promise<string> => {
    try {
      await asked(what, Promise.resolve().then(work));
    } catch (error) {
      const { code, message } = error as FakeFileSystemError;
      return `${code} ${message}`;
    }
    assert.fail(`${what} was done`);
  };
  const lists = () => computer().simulator.received('GET', '/api/v0/template/').length;

  before(async () => {
    id = await service.make('My Trainer');
    other = await service.make('Server');
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
    window.clearToasts();
  });

  it('are in one folder for each template of the account, and nowhere else', async () => {
    const listed = await asked('the list', files().readDirectory(uri('templates/')));
    for (const own of [id, other]) {
      assert.deepEqual(
        listed.find(([name]) => name === String(own)),
        [String(own), 2],
      );
    }
    const { json } = await computer().simulator.call('GET', '/api/v0/users/current/');
    const user = (json as { id: number }).id;
    for (const [name] of listed) {
      assert.equal((await service.record(Number(name)))['creator_id'], user);
    }
    assert.deepEqual(await asked('the folder', files().readDirectory(uri(`templates/${id}`))), [
      ['My Trainer.json', 1],
    ]);
    assert.match(
      await refused('the list of others', () => files().readDirectory(uri('public/'))),
      /FileNotFound/,
    );
    assert.match(
      await refused('the list of a file', () => files().readDirectory(uri('templates/notes.txt'))),
      /FileNotFound/,
    );
    assert.match(
      await refused('a folder', () => files().createDirectory(uri('templates/x'))),
      /NoPermissions/,
    );
  });

  it('have a size, and folders have none', async () => {
    const folder = await asked('the folder', files().stat(uri(`templates/${id}`)));
    assert.deepEqual(folder, { type: 2, ctime: 0, mtime: 0, size: 0 });
    const file = await asked('the file', files().stat(uri(`templates/${id}/My Trainer.json`)));
    const text = await asked('the text', files().readFile(uri(`templates/${id}/My Trainer.json`)));
    assert.deepEqual([file.type, file.size], [1, text.length]);
    assert.ok(text.length > 0);
  });

  it('rename their template, also in text that is not saved yet', async () => {
    await window.view('templates').click('My Trainer');
    await editor.shows('My Trainer.json', '"name": "My Trainer"');
    await editor.type({ desc: 'typed' });
    const typed = editor.text;
    const before = lists();
    const to = uri(`templates/${id}/Faster Trainer.json`);
    await asked(
      'the rename',
      files().rename(uri(`templates/${id}/My Trainer.json`), to, { overwrite: false }),
    );
    assert.equal((await service.record(id))['name'], 'Faster Trainer');
    assert.equal((await service.record(id))['desc'], 'old words', 'what is not saved stays here');
    // The editor opens the file under its new name and puts the text there.
    const { documents } = window.screen;
    documents.close(editor.document);
    await documents.show(to);
    documents.edit(editor.document, typed);
    await computer().until('the new name in the text', () =>
      editor.text.includes('"name": "Faster Trainer"'),
    );
    assert.match(editor.text, /"desc": "typed"/);
    await editor.save();
    await editor.saved();
    const { name, desc } = await service.record(id);
    assert.deepEqual({ name, desc }, { name: 'Faster Trainer', desc: 'typed' });
    assert.ok(lists() > before, 'the list is read again, because a rental needs its hash');
    await window.view('templates').row('Faster Trainer');
  });

  it('leave a name alone that is typed after a rename', async () => {
    await editor.type({ name: 'My Trainer' });
    await computer().rest();
    assert.match(editor.text, /"name": "My Trainer"/);
    await editor.type({ name: 'Faster Trainer' });
    await editor.save();
    await editor.saved();
  });

  it('can’t be moved to another template or away', async () => {
    const from = uri(`templates/${id}/Faster Trainer.json`);
    for (const to of [`templates/${other}/Faster Trainer.json`, `public/${id}/Faster Trainer.json`]) {
      const why = await refused('the move', () => files().rename(from, uri(to), { overwrite: false }));
      assert.match(why, /NoPermissions/);
    }
    const theirs = uri(`public/${id}/Faster Trainer.json`);
    const why = await refused('the move', () => files().rename(theirs, from, { overwrite: false }));
    assert.match(why, /NoPermissions/);
    assert.equal((await service.record(id))['name'], 'Faster Trainer');
  });

  it('show details while the pointer rests on the name', async () => {
    const { hash_id: hash } = await service.record(id);
    const at = (text: string) => {
      const { document } = editor;
      return window.screen.languages.hoverAt(
        document,
        document.positionAt(document.getText().indexOf(text) + 2),
      );
    };
    const hover = (await at('Faster Trainer')).replaceAll('\\', '').replaceAll('&nbsp;', ' ');
    assert.match(hover, new RegExp(`\\*\\*id\\*\\*: ${id}\\b`));
    assert.match(hover, new RegExp(`\\*\\*hash_id\\*\\*: ${String(hash)}`));
    assert.match(hover, /\*\*created_at\*\*: 12:00.PM/);
    assert.doesNotMatch(hover, /deleted_at|count_created|recent_create_date|undefined|null/);
    assert.equal(await at('"desc"'), '');
  });

  it('delete their template once that is confirmed', async () => {
    await editor.closeAll();
    const file = uri(`templates/${other}/Server.json`);
    const kept = refused('the deletion', () => files().delete(file, { recursive: false }));
    const question = await window.dialog('Delete the template Server from the service?');
    question.close();
    assert.match(await kept, /Nothing was deleted/);
    assert.notDeepEqual(await service.record(other), {});
    const done = asked('the deletion', files().delete(file, { recursive: false }));
    await window.dialogButton('Delete', 'Delete the template Server');
    await done;
    assert.deepEqual(await service.record(other), {});
    await window.view('templates').noRow('Server');
  });

  it('of others and previews can’t be deleted', async () => {
    const theirs = uri(`public/${id}/Faster Trainer.json`);
    const why = await refused('the deletion', () => files().delete(theirs, { recursive: false }));
    assert.match(why, /NoPermissions/);
    assert.notDeepEqual(await service.record(id), {});
  });
});
