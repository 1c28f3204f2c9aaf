import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { fileDialogReady, chooseFile } from '../support/fileDialog';
import { signIn } from '../support/journey';
import { clickRow, press, pressEnter } from '../support/press';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';

describe('template documents like any other file', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('template-files', {
    // Time to change a template elsewhere while it is edited here.
    settings: { 'files.autoSaveDelay': 5000 },
  });
  let workbench: Workbench;
  let editor: DocumentEditor;

  const edits = () =>
    session()
      .simulator.received('PUT', route)
      .map(({ body }) => body as Record<string, unknown>);

  const posts = () =>
    session()
      .simulator.received('POST', route)
      .map(({ body }) => body as Record<string, unknown>);

  async function make(name: string): Promise<number> {
    const { json } = await session().simulator.call('POST', route, {
      name,
      image: 'pytorch/pytorch',
      tag: '2.5',
      desc: 'old words',
      env: '-e MODE=train',
      runtype: 'args',
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    return (json as { template: { id: number } }).template.id;
  }

  async function find(filters: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    const query = encodeURIComponent(JSON.stringify(filters));
    const { json } = await session().simulator.call('GET', `${route}?select_filters=${query}`);
    return (json as { templates: Record<string, unknown>[] }).templates;
  }

  const named = (name: string) => find({ name: { eq: name } });

  async function record(id: number): Promise<Record<string, unknown>> {
    const [found] = await find({ id: { eq: id } });
    return found ?? {};
  }

  async function editElsewhere(id: number, changes: Record<string, unknown>): Promise<void> {
    const body = { hash_id: (await record(id))['hash_id'], ...changes };
    assert.equal((await session().simulator.call('PUT', route, body)).status, 200);
  }

  async function type(changes: Record<string, unknown>): Promise<void> {
    const fields = JSON.parse(await editor.text()) as Record<string, unknown>;
    await editor.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  async function open(name: string): Promise<void> {
    const view = workbench.view('Templates');
    await view.open();
    await editor.openByRow(view, name, `${name}.json`, `"name": "${name}"`);
  }

  const menu = (item: string) => workbench.quick.run(item);
  let first: number;
  let second: number;

  it('are marked while they are not saved, and compared with what is saved', async () => {
    [first, second] = [await make('First'), await make('Second')];
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    await open('First');
    await type({ desc: 'typed words' });
    const view = workbench.view('Templates');
    await view.row('First (unsaved)').waitFor();
    await workbench.page
      .locator('.part.activitybar li.action-item', { hasText: '1' })
      .filter({ has: workbench.page.locator('a[aria-label^="GPU Rental"]') })
      .waitFor();
    await menu('File: Compare Active File with Saved');
    const diff = workbench.page.locator('.monaco-diff-editor');
    await diff.locator('.original .view-line', { hasText: 'old' }).first().waitFor();
    await diff.locator('.modified .view-line', { hasText: 'typed' }).first().waitFor();
    await workbench.shot('01-compare');
    await menu('View: Close Editor');
    assert.deepEqual(edits(), []);
  });

  it('are saved together, each with what was changed in it', async () => {
    await open('Second');
    await type({ tag: '2.6' });
    await workbench.view('Templates').row('Second (unsaved)').waitFor();
    await menu('File: Save All Files');
    await until('both to be saved', () => edits().length === 2);
    await workbench.page.locator('.tab.dirty').first().waitFor({ state: 'detached' });
    const sent = edits().map(({ hash_id: hash, ...rest }) => [typeof hash, rest]);
    assert.deepEqual(
      new Set(sent.map((one) => JSON.stringify(one))),
      new Set([
        JSON.stringify(['string', { desc: 'typed words' }]),
        JSON.stringify(['string', { tag: '2.6' }]),
      ]),
    );
  });

  it('become another template when they are saved under another name', async () => {
    await open('First');
    await type({ desc: 'only in the copy' });
    await menu('File: Save As...');
    await workbench.quick.waitForTitle('Save As');
    await workbench.shot('02-save-as');
    await chooseFile(workbench, `/${first}/Saved As.json`);
    await until('the other template', () => posts().some(({ name }) => name === 'Saved As'));
    await workbench.view('Templates').row('Saved As').waitFor();
    const [made] = await named('Saved As');
    // Its own document takes the place of the one under the address that it was saved to.
    const place = workbench.page.locator('.monaco-breadcrumbs', { hasText: String(made?.['id']) });
    await until('one tab of it', async () => {
      const tabs = await Promise.all(['Saved As.json', 'First.json'].map((file) => editor.tab(file).count()));
      return tabs.join() === '1,0' && (await place.isVisible());
    });
    await editor.waitFor('Saved As.json', '"name": "Saved As"');
    await editor.lens('Rent').waitFor();
    await workbench.shot('03-saved-as');
    assert.equal(posts().at(-1)?.['desc'], 'only in the copy');
    assert.equal((await record(first))['desc'], 'typed words');
    await type({ tag: 'of the copy' });
    await editor.save();
    await editor.saved();
    assert.equal((await record(first))['tag'], '2.5');
    await menu('View: Close All Editors');
  });

  it('become a file of this computer when they are saved to it', async () => {
    const { page, quick } = workbench;
    await open('Second');
    await type({ desc: 'only on the disk' });
    const before = edits().length + posts().length;
    // The box of the browser itself, which a page cannot be driven through.
    const folder = 'navigator.storage.getDirectory()';
    const handle = `(await ${folder}).getFileHandle('local.gpu-template.json', { create: true })`;
    await page.evaluate(`void (showSaveFilePicker = async () => ${handle})`);
    await menu('File: Save As...');
    await quick.waitForTitle('Save As');
    await fileDialogReady(workbench);
    await press(quick.widget.locator('.monaco-button', { hasText: 'Show Local' }));
    await editor.waitFor('local.gpu-template.json', '"desc": "only on the disk"');
    await editor.lens('Create Template From This File').waitFor();
    await workbench.shot('03-local');
    const written: unknown = await page.evaluate(
      `(async () => (await (await ${handle}).getFile()).text())()`,
    );
    const fields = JSON.parse(String(written)) as Record<string, unknown>;
    assert.deepEqual([fields['name'], fields['hash_id']], ['Second', undefined]);
    assert.equal(edits().length + posts().length, before);
    assert.equal((await record(second))['desc'], 'old words');
    await menu('View: Close All Editors');
  });

  it('are saved automatically if the editor does that', async () => {
    await open('First');
    await menu('File: Toggle Auto Save');
    await type({ desc: 'saved by itself' });
    await until('the edit', async () => (await record(first))['desc'] === 'saved by itself');
    await editor.saved();
    await type({ desc: 'saved by itself again' });
    await editElsewhere(first, { tag: 'meanwhile' });
    await until('the edit', async () => (await record(first))['desc'] === 'saved by itself again');
    await editor.line('"tag": "meanwhile"').waitFor();
    await editor.lens('saving merges').waitFor({ state: 'detached' });
    assert.equal((await record(first))['tag'], 'meanwhile');
    await menu('File: Toggle Auto Save');
  });

  it('are found by the search of the editor', async () => {
    await editor.focus();
    await workbench.page.keyboard.press('Control+F');
    const find = workbench.page.locator('.find-widget.visible');
    await find.locator('.find-part textarea:focus').waitFor();
    await workbench.page.keyboard.type('meanwhile');
    await find.locator('.matchesCount', { hasText: '1 of 1' }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await find.waitFor({ state: 'hidden' });
  });

  it('are found by the search over everything that is open', async () => {
    await menu('Search: Find in Files');
    const search = workbench.page.locator('.search-view');
    await search.locator('.search-widget .search-container textarea').fill('meanwhile');
    await search.locator('.monaco-list-row', { hasText: 'First.json' }).first().waitFor();
    await search.locator('.monaco-list-row', { hasText: '"tag": "meanwhile"' }).first().waitFor();
    await workbench.shot('03-find-in-files');
    await workbench.openContainer('GPU Rental');
    await editor.focus();
  });

  it('keep an edit over a new window, and merge it with what changed since', async () => {
    await type({ desc: 'typed before the restart' });
    await until('the document to be unsaved', () => editor.isDirty());
    await until('the editor to keep the document', () => session().backups().includes('before the restart'));
    await workbench.page.reload();
    await workbench.ready();
    await editor.line('typed before the restart').waitFor({ timeout: 60_000 });
    await until('the document to be unsaved', () => editor.isDirty());
    await workbench.openContainer('GPU Rental');
    await workbench.view('Templates').row('First (unsaved)').waitFor({ timeout: 60_000 });
    await editElsewhere(first, { tag: 'after the restart' });
    await editor.focus();
    await editor.save();
    await editor.saved();
    const now = await record(first);
    assert.deepEqual([now['desc'], now['tag']], ['typed before the restart', 'after the restart']);
    // The window that comes back may show the end of the text.
    await workbench.page.keyboard.press('Control+Home');
    await editor.line('"tag": "after the restart"').waitFor();
    await workbench.shot('04-restored');
  });

  it('are read-only, with the reason, while another account is active', async () => {
    await workbench.clearNotifications();
    await workbench.run('Try the Demo Marketplace');
    await workbench.toast('This is the demo marketplace', 60_000);
    await editor.waitFor('First.json', '"tag": "after the restart"');
    await editor.lens('Read-only: belongs to another account').waitFor();
    await until('the lock', () => editor.isLocked());
    // The demo may have another template of this number.
    await editor.lens('Rent').waitFor({ state: 'detached' });
    await editor.focus();
    const reason = workbench.page.locator('.marker-widget', { hasText: 'belongs to another account' });
    await until('the reason', async () => {
      await workbench.page.keyboard.press('Alt+F8');
      return reason.isVisible();
    });
    await workbench.shot('06-reason');
    await press(workbench.page.locator('.peekview-actions .codicon-close'));
    await reason.waitFor({ state: 'hidden' });
    await editor.focus();
    await workbench.page.keyboard.type('x');
    await workbench.page.locator('.monaco-editor-overlaymessage', { hasText: 'read-only' }).waitFor();
    assert.equal(await editor.isDirty(), false);
    await workbench.shot('06-other-account');
    const before = edits().length;
    await editor.save();
    await editor.press(
      'Read-only: belongs to another account',
      workbench.quick.widget.locator('.quick-input-title', { hasText: /Account/ }),
    );
    await workbench.shot('07-switch');
    await clickRow(workbench.page, workbench.quick.rows.filter({ hasNotText: /demo/i }).first());
    await editor.lens('Read-only: belongs to another account').waitFor({ state: 'detached' });
    // The editor asks again whether the file may be written.
    await until('the end of the lock', async () => !(await editor.isLocked()));
    await type({ desc: 'mine again' });
    await editor.save();
    await editor.saved();
    assert.equal(edits().length, before + 1);
  });

  it('are files of a folder, which are renamed and deleted as such', async () => {
    const { root, simulator } = session();
    const workspace = path.join(root, 'templates.code-workspace');
    const folders = [{ path: path.join(root, 'workspace') }, { uri: 'gpurental://templates/', name: 'Mine' }];
    writeFileSync(workspace, JSON.stringify({ folders }));
    const gone = await make('To be deleted');
    const other = await session().window('folder', { workspace });
    await other.quick.run('View: Show Explorer');
    const explorer = other.page.locator('.explorer-folders-view');
    const row = (name: string) => explorer.locator('.monaco-list-row', { hasText: name }).first();
    const item = (name: string, action: string) => other.view('Explorer').contextMenu(row(name), action);
    // Rows are made again while the folders are read.
    const expand = (name: string, inner: string) =>
      until(`what is in ${name}`, async () => {
        if (await row(inner).isVisible()) {
          return true;
        }
        if ((await row(name).getAttribute('aria-expanded')) !== 'true') {
          await clickRow(other.page, row(name));
        }
        return false;
      });
    // The editor may read the workspace before its server answers, take it for empty and leave it so.
    await until(
      'the folders',
      async () => {
        const isThere = await row('Mine')
          .waitFor({ timeout: 10_000 })
          .then(
            () => true,
            () => false,
          );
        if (!isThere) {
          await other.page.reload();
        }
        return isThere;
      },
      { timeoutMs: 60_000 },
    );
    await expand('Mine', String(gone));
    await expand(String(gone), 'To be deleted.json');
    await other.shot('01-explorer');
    await item('To be deleted.json', 'Rename');
    const box = explorer.locator('input.monaco-inputbox, .monaco-inputbox input').first();
    await box.fill('To be forgotten.json');
    await pressEnter(box);
    await until('the new name', async () => (await record(gone))['name'] === 'To be forgotten');
    await row('To be forgotten.json').waitFor();
    await item('To be forgotten.json', 'Delete');
    const deletions = () => simulator.received('DELETE', route).length;
    // The editor asks first, then we say what is lost at the service.
    await until('our question', async () => {
      const texts = await other.dialog.allInnerTexts();
      if (texts.some((text) => text.includes('Delete the template To be forgotten from the service'))) {
        return true;
      }
      // Ours may take its place between a look and a click, and has a button of the same name.
      const own = other.dialog.filter({ hasNotText: 'from the service' });
      const button = own.locator('.monaco-button', { hasText: /^Delete/ });
      if (await button.isVisible()) {
        await press(button, { timeoutMs: 2000 }).catch(() => undefined);
      }
      return false;
    });
    await other.shot('02-delete');
    assert.equal(deletions(), 0);
    await other.dialogButton('Delete');
    await until('the deletion', () => deletions() === 1);
    await row('To be forgotten.json').waitFor({ state: 'detached' });
    assert.deepEqual(await record(gone), {});
    await other.openContainer('GPU Rental');
    await other.view('Templates').open();
    await other.view('Templates').row('First').waitFor();
    assert.equal(await other.view('Templates').row('To be forgotten').count(), 0);
    await other.page.close();
  });
});
