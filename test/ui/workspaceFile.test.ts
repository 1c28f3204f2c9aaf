import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a workspace that knows its machine', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('workspace-file', {
    workspaceTrust: true,
    extensions: ['ui/remoteSsh'],
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  let workbench: Workbench;
  let editor: DocumentEditor;
  let instanceId: number;
  let templateId: number;

  const file = () => path.join(session().root, 'workspace', '.vscode', 'gpu-rental.json');
  const write = (recipe: Record<string, unknown>) => {
    mkdirSync(path.dirname(file()), { recursive: true });
    writeFileSync(file(), `${JSON.stringify({ maxPricePerHour: 0.5, ...recipe }, null, 2)}\n`);
  };
  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const secret = 'hf_workspace4711';
  /** What the machine was rented with. */
  const image = 'pytorch/pytorch:latest';

  const starts = () =>
    session()
      .simulator.received('PUT', `/api/v0/instances/${instanceId}/`)
      .filter(({ body }) => (body as { state?: string }).state === 'running').length;

  async function openFile(): Promise<void> {
    await until('the file', async () => {
      await workbench.page.keyboard.press('F1');
      await workbench.quick.input.fill('gpu-rental.json');
      const row = workbench.quick.rows.filter({ hasText: 'gpu-rental.json' }).first();
      return row.click({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
  }

  it('shows its file in a workspace that is not trusted, and rents nothing', async () => {
    write({ image });
    const { simulator } = session();
    instanceId = await reachableInstance(session(), 'trainer');
    const made = await simulator.call('POST', '/api/v0/template/', {
      name: 'Recipe',
      image: 'a/b:1',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    templateId = Number(made.json.template.id);
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    await openFile();
    await editor.lens('Trust This Workspace to Rent').waitFor();
    await workbench.shot('01-not-trusted');
    await workbench.page.keyboard.press('F1');
    await workbench.quick.input.fill('>GPU Rental: Rent for This Workspace');
    await workbench.quick.rows.first().waitFor();
    assert.equal(await workbench.quick.row('GPU Rental: Rent for This Workspace…').count(), 0);
    await workbench.page.keyboard.press('Escape');
    await editor.lens('Trust This Workspace to Rent').click();
    const trust = workbench.page.locator('.workspace-trust-editor');
    await trust.waitFor();
    assert.equal(rentals(), 1);
    await trust
      .locator('.monaco-button', { hasText: /^Trust/ })
      .first()
      .click();
  });

  it('connects to a machine of the recipe or rents another, as the user says', async () => {
    const { quick, page } = workbench;
    await openFile();
    await editor.lens('Rent for This Workspace').waitFor({ timeout: 60_000 });
    await editor.lens('Rent for This Workspace').click();
    await quick.waitForTitle('An Instance for This Workspace Exists Already');
    await quick.rows.filter({ hasText: 'Connect to trainer' }).first().waitFor();
    await workbench.shot('02-exists');
    await quick.rows.filter({ hasText: 'Rent Another Instance' }).click();
    await quick.waitForTitle('Search Offers for This Workspace');
    await page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
    assert.equal(rentals(), 1);
  });

  it('shows what is rented, and looks for offers within its limit', async () => {
    const { quick, page } = workbench;
    await editor.lens('Find Offers').click();
    await quick.waitForTitle('Search Offers');
    const search = () =>
      session().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<string, unknown>;
    await until('the search', () => JSON.stringify(search()['dph_total']) === '{"lte":0.5}');
    await page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
    await editor.lens('Preview What the Service Will Get').click();
    await page.locator('.tab.active', { hasText: 'what is sent' }).waitFor();
    await editor.line(`"image": "${image}"`).waitFor();
    await workbench.shot('02-preview');
    await quick.run('View: Close Editor');
    await openFile();
  });

  it('makes a secret in it a variable of the account', async () => {
    write({ image, env: { HF_TOKEN: secret, MODE: 'train' } });
    await until('the file on the screen', () => editor.line('"HF_TOKEN"').isVisible());
    await editor.squiggle('warning').waitFor();
    await editor.quickFix('"HF_TOKEN"', 'Make It an Account Secret');
    await workbench.dialog.filter({ hasText: 'Make HF_TOKEN an environment variable' }).waitFor();
    await workbench.shot('02-secret');
    await workbench.dialogButton('Make It an Account Secret');
    await editor.line('"HF_TOKEN"').waitFor({ state: 'detached' });
    await editor.line('"MODE": "train"').waitFor();
    const made = session().simulator.received('POST', '/api/v0/secrets/');
    assert.deepEqual(
      made.map(({ body }) => body),
      [{ key: 'HF_TOKEN', value: secret }],
    );
    await editor.focus();
    await editor.save();
    await editor.saved();
    assert.ok(!readFileSync(file(), 'utf8').includes(secret));
  });

  it('connects without a question where the file says so, in the folder that it names', async () => {
    write({ image, folder: '/tmp', whenRunning: 'connect' });
    await until('the file on the screen', () => editor.line('"connect"').isVisible());
    const opened = await session().opensWindow(() => workbench.run('Rent for This Workspace…'));
    const folder = new URL(opened.url()).searchParams.get('folder') ?? '';
    assert.match(folder, new RegExp(`^vscode-remote://ssh-remote\\+gpu-[0-9a-f]{6}-${instanceId}/tmp$`));
    await opened.close();
    assert.equal(rentals(), 1);
  });

  it('asks where what the file says does not fit what there is', async () => {
    const { quick, page } = workbench;
    await session().simulator.call('PUT', `/api/v0/instances/${instanceId}/`, { state: 'stopped' });
    session().simulator.advance(120);
    await workbench.run('Refresh');
    await workbench
      .view('Instances')
      .row(/Stopped/)
      .waitFor();
    await workbench.run('Rent for This Workspace…');
    await quick.waitForTitle('An Instance for This Workspace Exists Already');
    await quick.rows.filter({ hasText: 'Start trainer' }).first().waitFor();
    assert.equal(await quick.rows.filter({ hasText: 'Connect to' }).count(), 0);
    await workbench.shot('03-stopped');
    await page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
    assert.deepEqual([rentals(), starts()], [1, 0]);
  });

  it('starts a stopped machine of the recipe without a question where the file says so', async () => {
    const { quick, page } = workbench;
    session().simulator.orders.failBoot({ outcome: 'stuck', message: 'downloading' });
    write({ image, whenRunning: 'start' });
    await until('the file on the screen', () => editor.line('"start"').isVisible());
    await workbench.run('Rent for This Workspace…');
    await until('the start', async () => {
      // What it costs to go on is said first.
      const confirm = workbench.dialog.locator('.monaco-button', { hasText: /^Start/ });
      if (await confirm.isVisible()) await confirm.click();
      return starts() === 1;
    });
    // While it gets ready another one may not be what is wanted.
    await until('the question', async () => {
      await workbench.run('Rent for This Workspace…');
      await quick.waitForTitle(/An Instance for This Workspace Exists|Search Offers for This Workspace/);
      const isOffered = await quick.rows.filter({ hasText: 'Wait for trainer' }).first().isVisible();
      if (isOffered) await workbench.shot('04-starting');
      await page.keyboard.press('Escape');
      await quick.widget.waitFor({ state: 'hidden' });
      return isOffered;
    });
    assert.equal(rentals(), 1);
  });

  it('says that its template was edited or deleted before money is spent', async () => {
    const { quick, page } = workbench;
    write({ template: { id: templateId, name: 'Recipe', hash: 'an-older-hash' } });
    await until('the file on the screen', () => editor.line('"an-older-hash"').isVisible());
    await workbench.run('Rent for This Workspace…');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /Recipe was edited since/);
    await workbench.shot('04-edited');
    await workbench.dialogButton('Rent from the Current Version');
    await quick.waitForTitle('Search Offers for This Workspace');
    await page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
    await session().simulator.call('DELETE', '/api/v0/template/', { template_id: templateId });
    await workbench.run('Rent for This Workspace…');
    await workbench.toast(/The template Recipe was deleted/);
    await workbench.shot('05-deleted');
    assert.equal(rentals(), 1);
    // What the started machine has to say may come meanwhile.
    await quick.run('Notifications: Clear All Notifications');
  });

  it('is written by a command where there is none, and never over one that exists', async () => {
    await workbench.quick.run('View: Close All Editors');
    rmSync(file());
    await workbench.run('Rent for This Workspace…');
    await workbench.toastButton(/does not say yet what it needs/, 'Create Workspace File');
    await workbench.quick.waitForTitle('Create Workspace File');
    await workbench.shot('06-create');
    await workbench.quick.rows.filter({ hasText: 'An Image' }).first().click();
    await until('the file', () => existsSync(file()));
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
    await editor.lens('Rent for This Workspace').waitFor();
    await workbench.shot('07-created');
    const written = readFileSync(file(), 'utf8');
    await workbench.run('Create Workspace File…');
    await editor.waitFor('gpu-rental.json', '"maxPricePerHour"');
    assert.equal(readFileSync(file(), 'utf8'), written);
  });
});
