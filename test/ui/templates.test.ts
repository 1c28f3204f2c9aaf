import assert from 'node:assert/strict';
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
  const session = useUiSession('templates');
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
    await editor.openByRow(view, 'My Trainer', 'My Trainer.json', '"desc": "old words"');
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
    await workbench.dialog.filter({ hasText: /Which version do you want to keep/ }).waitFor();
    await workbench.shot('05-conflict');
    await workbench.dialogButton('Compare');
    await workbench.toast(/Failed to save .My Trainer.json.: This template was changed elsewhere/);
    await workbench.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await workbench.shot('05-compared');
    assert.equal(ownEdits().length, before);
    assert.equal((await record())['desc'], 'theirs');
  });

  it('put mine over theirs at the request of the user', async () => {
    await editor.save();
    await workbench.dialogButton('Use Mine');
    await editor.saved();
    assert.equal((await record())['desc'], 'mine');
    await workbench.shot('06-mine');
    assert.equal(
      await workbench.page.locator('.notification-toast', { hasText: 'Failed to save' }).count(),
      0,
    );
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
      const view = one.view('Templates');
      await view.open();
      await words.openByRow(view, 'My Trainer', 'My Trainer.json', '"name": "My Trainer"');
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

  it('are created again where they were deleted elsewhere while they were edited', async () => {
    const gone = id;
    await type({ desc: 'kept' });
    const { status } = await session().simulator.call('DELETE', route, { template_id: gone });
    assert.equal(status, 200);
    await editor.save();
    await workbench.dialog.filter({ hasText: /was deleted at the service. Create it again/ }).waitFor();
    await workbench.shot('07-gone');
    await workbench.dialogButton('Create Again');
    await until('the new template', () =>
      session()
        .simulator.received('POST', route)
        .some(({ body }) => (body as Record<string, unknown>)['desc'] === 'kept'),
    );
    await editor.waitFor('My Trainer.json', '"desc": "kept"');
    await editor.lens('Rent').waitFor();
    await editor.saved();
    await until('one tab', async () => (await editor.tab('My Trainer.json').count()) === 1);
    await workbench.shot('08-created-again');
    assert.equal(await workbench.page.locator('.notification-toast').count(), 0);
  });

  it('leave no secret in any file of the editor', () => {
    assert.deepEqual(session().filesWithSecrets([password, session().simulator.apiKey]), []);
    assert.ok(!session().log().includes(password));
  });
});
