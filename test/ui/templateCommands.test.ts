import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { chooseFile } from '../support/fileDialog';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const route = '/api/v0/template/';
const password = 'registry-pass-4712';

describe('commands for templates', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('template-commands');
  let workbench: Workbench;
  let editor: DocumentEditor;

  const posts = () =>
    session()
      .simulator.received('POST', route)
      .map(({ body }) => body as Record<string, unknown>);
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

  async function type(changes: Record<string, unknown>): Promise<void> {
    const fields = JSON.parse(await editor.text()) as Record<string, unknown>;
    await editor.replaceAll(JSON.stringify({ ...fields, ...changes }, null, 2));
  }

  async function createFrom(row: string): Promise<void> {
    await workbench.run('Create Template…');
    await workbench.quick.waitForTitle('Create Template');
    await workbench.shot(`create-${row.replaceAll(/\W+/g, '-').toLowerCase()}`);
    await workbench.quick.pickMatching(row);
  }

  it('create one from an image, private, with SSH', async () => {
    await make({
      name: 'Gamma',
      docker_login_repo: 'ghcr.io',
      docker_login_user: 'me',
      docker_login_pass: password,
    });
    workbench = await session().window();
    editor = new DocumentEditor(workbench);
    await signIn(session(), workbench);
    // Room for the rows: the list keeps only those in view.
    await press(workbench.view('Instances').header);
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

  it('open the page of an image only after the question of the editor, which shows its address', async () => {
    await view().contextMenu(view().row('Gamma'), 'Open Image Page');
    await workbench.dialog.filter({ hasText: 'https://hub.docker.com/r/pytorch/pytorch' }).waitFor();
    await workbench.shot('01-image-page');
    await workbench.dialogButton('Cancel');
    await workbench.dialog.waitFor({ state: 'hidden' });
  });

  it('export one to a file without its password', async () => {
    const file = inWorkspace('gamma.gpu-template.json');
    await view().contextMenu(view().row('Gamma'), 'Export Template to a File');
    await chooseFile(workbench, file);
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
    await workbench.quick.waitForTitle('Import Template from a File');
    await chooseFile(workbench, inWorkspace('gamma.gpu-template.json'));
    await editor.lens('Create at the Service').waitFor();
    await editor.line('"name": "Imported"').waitFor();
    await workbench.quick.run('View: Close All Editors');
  });

  it('are marked, copied and rented by the buttons of the search', async () => {
    const { quick } = workbench;
    const found = quick.rows.filter({ hasText: 'NVIDIA CUDA (SSH)' }).first();
    const button = (label: string) => found.locator(`.action-label[aria-label="${label}"]`);
    const pressOnRow = (label: string) =>
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
    await pressOnRow('Add Template to Favorites');
    await button('Remove Template from Favorites').waitFor({ state: 'attached' });
    await view().row('Favorites').waitFor();
    await workbench.shot('05-search-buttons');
    await pressOnRow('Remove Template from Favorites');
    await button('Add Template to Favorites').waitFor({ state: 'attached' });
    await view().row('Favorites').waitFor({ state: 'detached' });
    await pressOnRow('Save as Mine');
    await editor.lens('Create at the Service').waitFor();
    await editor.line('"image": "nvidia/cuda"').waitFor();
    await quick.run('View: Close All Editors');
    await search();
    await pressOnRow('Rent');
    await quick.waitForTitle('Search Offers for NVIDIA CUDA (SSH)');
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });
});
