import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { takeFile } from '../support/fileDialog';
import { signIn } from '../support/journey';
import { clickRow } from '../support/rows';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';
const password = 'registry-pass-4712';

describe('commands for templates', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('template-commands', { patches: ['toasts', 'sharedSecrets', 'authority'] });
  let workbench: Workbench;
  let editor: DocumentEditor;

  const posts = () =>
    session()
      .simulator.received('POST', route)
      .map(({ body }) => body as Record<string, unknown>);
  const lastSearch = () =>
    session().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<string, unknown>;
  const view = () => workbench.view('Templates');
  const inWorkspace = (file: string) => path.join(session().root, 'workspace', file);

  async function make(fields: Record<string, unknown>): Promise<void> {
    const body = {
      image: 'pytorch/pytorch',
      tag: '2.5',
      runtype: 'args',
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      ...fields,
    };
    assert.equal((await session().simulator.call('POST', route, body)).status, 200);
  }

  async function rentOne(body: Record<string, unknown>): Promise<void> {
    const { simulator } = session();
    const found = await simulator.call('POST', '/api/v0/bundles/', { rentable: { eq: true }, limit: 1 });
    const offer = String(found.json.offers[0].id);
    const rental = { disk: 10, cancel_unavail: true, ...body };
    assert.equal((await simulator.call('PUT', `/api/v0/asks/${offer}/`, rental)).status, 200);
  }

  async function type(changes: Record<string, unknown>): Promise<void> {
    const fields = JSON.parse(await editor.text()) as Record<string, unknown>;
    await editor.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  async function createFrom(row: string): Promise<void> {
    await workbench.run('Create Template…');
    await workbench.quick.waitForTitle('Create a Template');
    await workbench.shot(`create-${row.replaceAll(/\W+/g, '-').toLowerCase()}`);
    await workbench.quick.pickMatching(row);
  }

  it('create one from an image, private, with SSH', async () => {
    await make({ name: 'Alpha', desc: 'first', extra_filters: { num_gpus: { eq: 2 } } });
    await make({ name: 'Beta', image: 'ghcr.io/owner/beta', href: 'javascript:alert(1)' });
    await make({
      name: 'Gamma',
      docker_login_repo: 'ghcr.io',
      docker_login_user: 'me',
      docker_login_pass: password,
    });
    await rentOne({ image: 'nvidia/cuda:12.4', env: { FROM: 'instance' } });
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    // Room for the rows: the list keeps only those in view.
    await workbench.view('Instances').header.click();
    await view().open();
    await view().row('Gamma').waitFor();
    await createFrom('From an Image');
    await workbench.quick.waitForTitle('Container Image');
    await workbench.quick.type('ghcr.io/me/app:1.2');
    await editor.lens('Create at the Service').waitFor();
    const before = posts().length;
    await type({ name: 'From an image' });
    await editor.save();
    await until('the template', () => posts().length === before + 1);
    const { image, tag, private: isPrivate, runtype } = posts().at(-1) ?? {};
    assert.deepEqual([image, tag, isPrivate, runtype], ['ghcr.io/me/app', '1.2', true, 'ssh']);
    await editor.waitFor('From an image.json', '"name": "From an image"');
    await editor.lens('Rent').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('create one from scratch, which is not sent before it has an image', async () => {
    await createFrom('From Scratch');
    await editor.lens('Create at the Service').waitFor();
    const before = posts().length;
    await editor.press(
      'Create at the Service',
      workbench.toasts.filter({ hasText: 'A template needs "image"' }),
    );
    assert.equal(posts().length, before);
    await workbench.clearNotifications();
    await type({ name: 'From scratch', image: 'a/b:1' });
    await editor.save();
    await until('the template', () => posts().length === before + 1);
    await editor.waitFor('From scratch.json', '"name": "From scratch"');
    await editor.lens('Rent').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('create one from what an instance is', async () => {
    await createFrom('From an Instance');
    await editor.line('"image": "nvidia/cuda"').waitFor();
    await editor.line('"FROM": "instance"').waitFor();
    await workbench.shot('01-from-instance');
    await workbench.quick.run('View: Close All Editors');
  });

  it('export one to a file without its password', async () => {
    const file = inWorkspace('gamma.gpu-template.json');
    await view().contextMenu(view().row('Gamma'), 'Export Template to a File');
    await takeFile(workbench, file);
    await until('the file', () => existsSync(file));
    await editor.waitFor('gamma.gpu-template.json', '"name": "Gamma"');
    const text = readFileSync(file, 'utf8');
    assert.ok(!text.includes(password) && !text.includes('hash_id'));
    assert.match(text, /"docker_login_pass": "\$\{secret:registry-\d+\}"/);
    await workbench.shot('02-exported');
  });

  it('import one from a file as a draft, with its password kept as a secret', async () => {
    await type({ name: 'Imported', docker_login_pass: password });
    await editor.save();
    await editor.saved();
    await editor.press('Create Template From This File', editor.tab('Imported.json'));
    await editor.waitFor('Imported.json', '${secret:registry-');
    const before = posts().length;
    await editor.press('Create at the Service', () => posts().length > before);
    assert.equal(posts().length, before + 1);
    assert.deepEqual(
      [posts().at(-1)?.['name'], posts().at(-1)?.['docker_login_pass']],
      ['Imported', password],
    );
    // The tab of the draft gives way to that of the template.
    await editor.lens('Rent').waitFor();
    await view().row('Imported').waitFor();
    await workbench.quick.run('View: Close All Editors');
    await createFrom('From a File');
    await workbench.quick.waitForTitle('Import a Template');
    await takeFile(workbench, inWorkspace('gamma.gpu-template.json'));
    await editor.lens('Create at the Service').waitFor();
    await editor.line('"name": "Imported"').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('keep favourites and what was opened last, also in the next window', async () => {
    await view().contextMenu(view().row('Alpha'), 'Add Template to Favorites');
    await view().row('Favorites').waitFor();
    await view().click('Beta');
    await editor.waitFor('Beta.json', '"name": "Beta"');
    await view().row('Recent').waitFor();
    await workbench.page.reload();
    await workbench.ready();
    await workbench.openContainer('GPU Rental');
    await view().row('Favorites').waitFor({ timeout: 60_000 });
    await until('the favorite in its group', async () => {
      const rows = await view().rowTexts();
      return /^Alpha/.test(rows[rows.findIndex((text) => text.startsWith('Favorites')) + 1] ?? '');
    });
    await workbench.shot('03-favourites');
    await view().contextMenu(view().row('Alpha'), 'Remove Template from Favorites');
    await view().row('Favorites').waitFor({ state: 'detached' });
    await view().row('Recent').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('open the page of an image after a question, and never another kind of link', async () => {
    await view().contextMenu(view().row('Alpha'), 'Open Image Page');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /https:\/\/hub\.docker\.com\/r\/pytorch\/pytorch/);
    await workbench.shot('04-image-page');
    await workbench.dialogButton('Cancel');
    await view().contextMenu(view().row('Beta'), 'Open Image Page');
    await workbench.toast(/No page is known for this image/);
    assert.equal(await workbench.dialog.count(), 0);
    await workbench.clearNotifications();
  });

  it('rent from a document only as it is at the service, and say so', async () => {
    await workbench.run('Open Template…');
    await workbench.quick.waitForTitle('Open Which Template?');
    await workbench.quick.pick('Alpha');
    await editor.waitFor('Alpha.json', '"name": "Alpha"');
    await type({ desc: 'not saved yet' });
    await editor.press('Rent', workbench.dialog);
    assert.match(await workbench.dialog.innerText(), /not saved/);
    await workbench.shot('05-save-and-rent');
    await workbench.dialogButton('Save and Rent');
    await workbench.quick.waitForTitle('Search Offers for Alpha');
    assert.deepEqual(session().simulator.received('PUT', route).length, 1);
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.widget.waitFor({ state: 'hidden' });
  });

  it('find offers by the filters of a document, written as an object or as text', async () => {
    for (const filters of [{ num_gpus: { eq: 4 } }, JSON.stringify({ num_gpus: { eq: 8 } })]) {
      await type({ extra_filters: filters });
      const title = workbench.quick.widget.locator('.quick-input-title', { hasText: 'Search Offers' });
      await editor.press('Find Offers', title);
      const wanted = typeof filters === 'string' ? 8 : 4;
      await until(
        'the search',
        () => JSON.stringify(lastSearch()['num_gpus']) === JSON.stringify({ eq: wanted }),
      );
      await workbench.page.keyboard.press('Escape');
      await workbench.quick.widget.waitFor({ state: 'hidden' });
    }
    await workbench.quick.run('File: Revert File');
    await editor.saved();
    await workbench.quick.run('View: Close All Editors');
  });

  it('take somebody else’s as mine, private and without their registry', async () => {
    const { quick } = workbench;
    await workbench.run('Search Public Templates…');
    await quick.waitForTitle('Search Public Templates');
    await quick.type('image = nvidia/cuda', { enter: false });
    await quick.pick('NVIDIA CUDA (SSH)');
    await editor.waitFor('NVIDIA CUDA (SSH).json', '"image": "nvidia/cuda"');
    // Under what was opened last; the recommended ones are folded.
    await view().row('NVIDIA CUDA (SSH)').waitFor();
    const before = posts().length;
    await editor.press('Save as Mine', editor.lens('Create at the Service'));
    await editor.press('Create at the Service', () => posts().length > before);
    assert.equal(posts().length, before + 1);
    const { name, private: isPrivate, docker_login_pass: pass } = posts().at(-1) ?? {};
    assert.deepEqual([name, isPrivate, pass], ['NVIDIA CUDA (SSH)', true, '']);
    await editor.lens('Create at the Service').waitFor({ state: 'detached' });
    await editor.lens('Rent').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('are marked, copied and rented by the buttons of the search', async () => {
    const { quick } = workbench;
    const found = quick.rows.filter({ hasText: 'NVIDIA CUDA (SSH)' }).first();
    const button = (label: string) => found.locator(`.action-label[aria-label="${label}"]`);
    const press = (label: string) =>
      quick.pickMatching('NVIDIA CUDA (SSH)', `.action-label[aria-label="${label}"]`);
    const search = async () => {
      await workbench.run('Search Public Templates…');
      await quick.waitForTitle('Search Public Templates');
      await quick.type('image = nvidia/cuda', { enter: false });
      await until('what was searched for', async () => {
        const rows = await quick.rowTexts();
        return rows.length > 0 && rows.every((text) => text.includes('nvidia/cuda'));
      });
    };
    await search();
    await press('Add to Favorites');
    await button('Remove from Favorites').waitFor({ state: 'attached' });
    await view().row('Favorites').waitFor();
    await workbench.shot('05-search-buttons');
    await press('Remove from Favorites');
    await button('Add to Favorites').waitFor({ state: 'attached' });
    await view().row('Favorites').waitFor({ state: 'detached' });
    await press('Save as Mine');
    await editor.lens('Create at the Service').waitFor();
    await editor.line('"image": "nvidia/cuda"').waitFor();
    await quick.run('View: Close All Editors');
    await search();
    await press('Rent');
    await quick.waitForTitle('Search Offers for NVIDIA CUDA (SSH)');
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('say what is wrong with a query, and that the search failed rather than found nothing', async () => {
    const { quick } = workbench;
    await workbench.run('Search Public Templates…');
    await quick.waitForTitle('Search Public Templates');
    await quick.type('nonsense = 1', { enter: false });
    await quick.rows.filter({ hasText: '"nonsense" is not a field of the search' }).first().waitFor();
    await workbench.shot('06-query-problem');
    await quick.type('name = nothing-is-called-this', { enter: false });
    await quick.rows.filter({ hasText: 'No template matches' }).first().waitFor();
    session().simulator.fail({ kind: 'html500', method: 'GET', path: route, times: 9 });
    await quick.type('count_created > 1', { enter: false });
    await quick.rows
      .filter({ hasText: /service|failed/i })
      .first()
      .waitFor();
    assert.equal(await quick.rows.filter({ hasText: 'No template matches' }).count(), 0);
    await workbench.shot('07-search-failed');
    session().simulator.faults.clear();
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('delete several after one question that names them all', async () => {
    const add = (name: string) =>
      clickRow(workbench.page, view().row(name), { modifiers: ['ControlOrMeta'] });
    await view().row('Beta').waitFor();
    await add('Beta');
    // What was selected before is selected still.
    await until('nothing to be selected', async () => {
      await workbench.page.keyboard.press('Escape');
      return (await view().pane.locator('.monaco-list-row.selected').count()) === 0;
    });
    await add('Beta');
    await add('Gamma');
    await view().contextMenu(view().row('Gamma'), 'Delete Template');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /Delete 2 templates.*Beta.*Gamma/s);
    await workbench.shot('08-delete-several');
    await workbench.dialogButton('Delete');
    await until('both deletions', () => session().simulator.received('DELETE', route).length === 2);
    // What was used lately stays named there, as deleted.
    await view().row('Gamma').waitFor({ state: 'detached' });
  });

  it('show the first rows of a long list at once, and the next when asked', async () => {
    for (let index = 0; index < 205; index++) await make({ name: `Bulk ${index}` });
    await workbench.run('Refresh');
    const more = view().row('Show More…');
    await until('the last rows', async () => {
      await clickRow(workbench.page, view().row(/./), { modifiers: ['ControlOrMeta'] });
      await workbench.page.keyboard.press('End');
      return more.isVisible();
    });
    assert.equal(await more.getAttribute('aria-setsize'), '201');
    await workbench.shot('09-more');
    await clickRow(workbench.page, more);
    await more.waitFor({ state: 'detached' });
    await until('the next rows', async () => {
      const count = await view().row('Bulk').getAttribute('aria-setsize');
      return Number(count) > 201;
    });
  });
});
