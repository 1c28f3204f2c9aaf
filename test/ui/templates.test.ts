import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';
const password = 'registry-pass-4711';

describe('templates as JSON files', function () {
  this.bail(true);
  this.timeout(120_000);
  const session = useUiSession('templates', { patches: ['toasts', 'sharedSecrets', 'authority'] });
  let workbench: Workbench;
  let editor: DocumentEditor;
  let id: number;

  const edits = () =>
    session()
      .simulator.received('PUT', route)
      .map(({ body }) => body as Record<string, unknown>);
  const ownEdits = () => edits().filter((body) => body['readme'] !== 'by somebody else');

  async function record(): Promise<Record<string, unknown>> {
    const query = encodeURIComponent(JSON.stringify({ id: { eq: id } }));
    const { json } = await session().simulator.call('GET', `${route}?select_filters=${query}`);
    return (json as { templates: Record<string, unknown>[] }).templates[0] ?? {};
  }

  async function editElsewhere(changes: Record<string, unknown>): Promise<void> {
    const body = { hash_id: (await record())['hash_id'], readme: 'by somebody else', ...changes };
    assert.equal((await session().simulator.call('PUT', route, body)).status, 200);
  }

  /** The text with some fields changed, typed over the whole document. */
  async function type(changes: Record<string, unknown>): Promise<void> {
    const fields = JSON.parse(await editor.text()) as Record<string, unknown>;
    await editor.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  it('are listed by whose they are, and open as documents', async () => {
    const { json } = await session().simulator.call('POST', route, {
      name: 'My Trainer',
      image: 'pytorch/pytorch',
      tag: '2.5',
      desc: 'old words',
      env: '-e HF_HOME=/workspace -p 8080:8080',
      runtype: 'ssh',
      ssh_direct: true,
      use_ssh: true,
      onstart: 'make',
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    id = (json as { template: { id: number } }).template.id;
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    const view = workbench.view('Templates');
    await view.open();
    await view.row('My Trainer').waitFor();
    await view.row('Recommended').waitFor();
    await workbench.shot('01-tree');
    await view.click('My Trainer');
    await editor.waitFor('My Trainer.json', '"desc": "old words"');
    await editor.lens('Preview What the Service Will Get').waitFor();
    await workbench.shot('02-document');
  });

  it('send only what was changed when they are saved', async () => {
    await type({ desc: 'new words' });
    await editor.save();
    await editor.saved();
    assert.deepEqual(
      edits().map((body) => Object.keys(body).sort()),
      [['desc', 'hash_id']],
    );
  });

  it('send nothing when nothing was changed', async () => {
    await editor.focus();
    await editor.save();
    await type({});
    await editor.save();
    await editor.saved();
    assert.equal(edits().length, 1);
  });

  it('stay unsaved with the reason when the service refuses them', async () => {
    await type({ recommended_disk_space: 0 });
    await editor.save();
    await workbench.toast(/must be above 0/);
    assert.equal(await editor.isDirty(), true);
    await editor.squiggle('error').waitFor();
    await workbench.shot('03-refused');
    await type({ recommended_disk_space: 20 });
    await editor.save();
    await editor.saved();
    assert.equal((await record())['recommended_disk_space'], 20);
    await workbench.clearNotifications();
  });

  it('mark a password in clear and move it to the secret store', async () => {
    await type({ docker_login_repo: 'ghcr.io', docker_login_user: 'me', docker_login_pass: password });
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"docker_login_pass"', 'Move to Secrets');
    await editor.line('${secret:registry-').waitFor();
    await workbench.shot('04-secret');
    await editor.save();
    await editor.saved();
    assert.equal(edits().at(-1)?.['docker_login_pass'], password);
    assert.ok(!(await editor.text()).includes(password));
  });

  it('ask when the same place was changed elsewhere, and show both', async () => {
    await type({ desc: 'mine' });
    await editElsewhere({ desc: 'theirs' });
    const before = ownEdits().length;
    await editor.save();
    await workbench.toast(/changed elsewhere meanwhile/);
    await workbench.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await workbench.shot('05-conflict');
    assert.equal(ownEdits().length, before);
    assert.equal((await record())['desc'], 'theirs');
  });

  it('put mine over theirs when the user says so', async () => {
    await workbench.toastButton(/What should it become/, 'Use Mine');
    await editor.saved();
    assert.equal((await record())['desc'], 'mine');
    await workbench.quick.run('View: Close All Editors');
    await workbench.clearNotifications();
  });

  it('become theirs when the user says so, and mine can be had back by undoing', async () => {
    const view = workbench.view('Templates');
    await view.click('My Trainer');
    await editor.waitFor('My Trainer.json', '"desc": "mine"');
    await type({ desc: 'mine again' });
    await editElsewhere({ desc: 'theirs again' });
    await editor.save();
    await workbench.toastButton(/What should it become/, 'Use Theirs');
    await editor.saved();
    assert.equal((await record())['desc'], 'theirs again');
    await workbench.quick.run('View: Close All Editors');
    await workbench.clearNotifications();
    await view.click('My Trainer');
    await editor.waitFor('My Trainer.json', '"desc": "theirs again"');
  });

  it('are merged variable by variable, yours kept where both changed one', async () => {
    await type({ env: { HF_HOME: '/mine', '-p 8080:8080': '1', MINE: '1' } });
    await editElsewhere({ env: '-e HF_HOME=/theirs -e THEIRS=1 -p 8080:8080' });
    await editor.save();
    await workbench.toastButton(/What should it become/, 'Merge');
    await workbench.toast(/yours was kept: env.HF_HOME/);
    await editor.waitFor('My Trainer.json', '"THEIRS": "1"');
    await workbench.shot('05-merged');
    await editor.save();
    await editor.saved();
    assert.equal((await record())['env'], '-e HF_HOME=/mine -p 8080:8080 -e MINE=1 -e THEIRS=1');
    await workbench.quick.run('View: Close All Editors');
    await workbench.clearNotifications();
  });

  it('lose no edit of two windows that save one after the other', async () => {
    const second = await session().window('second');
    const other = new DocumentEditor(second);
    for (const [one, words] of [
      [workbench, editor],
      [second, other],
    ] as const) {
      await one.openContainer('GPU Rental');
      await one.view('Templates').open();
      await one.view('Templates').click('My Trainer');
      await words.waitFor('My Trainer.json', '"name": "My Trainer"');
    }
    const fields = JSON.parse(await other.text()) as Record<string, unknown>;
    await other.replaceAll(JSON.stringify({ ...fields, tag: 'second window' }, null, 2));
    await workbench.page.bringToFront();
    await type({ desc: 'first window' });
    await editor.save();
    await editor.saved();
    await second.page.bringToFront();
    await other.lens('saving merges').waitFor();
    await other.save();
    await other.saved();
    const saved = await record();
    assert.deepEqual([saved['desc'], saved['tag']], ['first window', 'second window']);
    await other.line('"desc": "first window"').waitFor();
    await other.lens('saving merges').waitFor({ state: 'detached' });
    await workbench.page.bringToFront();
    await editor.line('"tag": "second window"').waitFor();
    await second.page.close();
  });

  it('become mine by copying, as a draft that is created when it is saved', async () => {
    const view = workbench.view('Templates');
    await view.contextMenu(view.row('My Trainer'), 'Duplicate Template');
    await editor.waitFor('Copy of My Trainer.json', '"name": "Copy of My Trainer"');
    assert.equal(session().simulator.received('POST', route).length, 1);
    await editor.lens('Create at the Service').waitFor();
    await type({ docker_login_repo: '', docker_login_user: '', docker_login_pass: '' });
    await editor.save();
    await until('the template', () => session().simulator.received('POST', route).length === 2);
    await editor.lens('Rent').waitFor();
    await view.row('Copy of My Trainer').waitFor();
    await editor.saved();
    await workbench.shot('06-created');
  });

  it('are deleted only after a question that names them', async () => {
    const view = workbench.view('Templates');
    await view.contextMenu(view.row('Copy of My Trainer'), 'Delete Template');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /Copy of My Trainer/);
    await workbench.dialogButton('Delete');
    await until('the deletion', () => session().simulator.received('DELETE', route).length === 1);
    await view.row('Copy of My Trainer').waitFor({ state: 'detached' });
  });

  it('are searched by a query that completes itself, and open read-only', async () => {
    const { quick } = workbench;
    await workbench.run('Search Public Templates…');
    await quick.waitForTitle('Search Public Templates');
    await quick.rows.filter({ hasText: 'PyTorch (CUDA)' }).first().waitFor();
    await quick.type('count_c', { enter: false });
    await quick.pickMatching('count_created');
    await until('the completion', async () => (await quick.input.inputValue()) === 'count_created ');
    await quick.type('image = nvidia/cuda', { enter: false });
    await quick.row('NVIDIA CUDA (SSH)').waitFor();
    await workbench.shot('07-search');
    await quick.pick('NVIDIA CUDA (SSH)');
    await editor.waitFor('NVIDIA CUDA (SSH).json', '"image": "nvidia/cuda"');
    await editor.lens('Save as Mine').waitFor();
    await editor.focus();
    await workbench.page.keyboard.type('x');
    await workbench.page.locator('.monaco-editor-overlaymessage', { hasText: 'read-only' }).waitFor();
    assert.equal(await editor.isDirty(), false);
    await workbench.shot('08-public');
  });

  it('show what the service will get', async () => {
    await editor.press('Preview What the Service Will Get', editor.line('"template_hash_id"'));
    await workbench.shot('09-preview');
  });

  it('of a workspace are rented by one command, never above its limit', async () => {
    const { quick, page } = workbench;
    const folder = path.join(session().root, 'workspace', '.vscode');
    mkdirSync(folder, { recursive: true });
    const recipe = {
      template: { id, name: 'My Trainer' },
      filters: { num_gpus: { eq: 1 } },
      diskGb: 40,
      env: { FROM_REPO: 'yes' },
      maxPricePerHour: 0.4,
    };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(recipe));
    await quick.run('View: Close All Editors');
    await workbench.run('Rent for This Workspace…');
    await quick.waitForTitle('Search Offers for This Workspace');
    await quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('10-workspace');
    const search = session().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<
      string,
      unknown
    >;
    assert.deepEqual(search['num_gpus'], { eq: 1 });
    assert.deepEqual(search['dph_total'], { lte: 0.4 });
    assert.equal(search['allocated_storage'], 40);
    await page.keyboard.press('Escape');
  });

  it('leave no secret in any file of the editor', () => {
    assert.deepEqual(session().filesWithSecrets([password, session().simulator.apiKey]), []);
    assert.ok(!session().log().includes(password));
  });
});
