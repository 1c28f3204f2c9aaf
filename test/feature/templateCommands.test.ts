import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { addBrokenRecord } from '../support/brokenRecord';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const route = '/api/v0/template/';

describe('commands for templates', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;
  let editor: DocumentDriver;
  let alpha: number;

  const templates = () => window.view('templates');
  const quick = () => window.quick;
  const posts = () => service.sent('POST').length;
  const lastSearch = () =>
    computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<string, unknown>;
  const rowBelow = async (heading: string) => {
    const texts = await templates().texts();
    return texts[texts.findIndex((text) => text.startsWith(heading)) + 1] ?? '';
  };

  async function createFrom(row: string): Promise<void> {
    window.run('Create Template…');
    await quick().title('Create Template');
    await quick().pick(row);
  }

  async function search(query: string): Promise<void> {
    window.run('Search Public Templates…');
    await quick().title('Search Public Templates');
    await quick().type(query, { enter: false });
  }

  before(async () => {
    alpha = await service.make('Alpha', { desc: 'first', extra_filters: { num_gpus: { eq: 2 } } });
    await service.make('Beta', { image: 'ghcr.io/owner/beta', href: 'javascript:alert(1)' });
    await service.make('Gamma');
    await computer().rentRunning({
      image: 'nvidia/cuda:12.4',
      env: { FROM: 'instance', HF_TOKEN: 'hf_fromtheinstance4711' },
      runtype: 'args',
      args: ['serve', '--name', 'two words'],
    });
    window = await computer().openWindow();
    editor = new DocumentDriver(window);
    await window.signIn();
    await templates().row('Gamma');
    window.clearToasts();
  });

  it('create one from scratch, which is not sent before it has an image', async () => {
    await createFrom('From Scratch');
    await editor.lens('Create at the Service');
    const before = posts();
    await editor.press('Create at the Service');
    await window.toast('A template needs "image"');
    assert.equal(posts(), before);
    window.clearToasts();
    await editor.type({ name: 'From scratch', image: 'a/b:1' });
    await editor.save();
    await editor.shows('From scratch.json', '"name": "From scratch"');
    assert.equal(posts(), before + 1);
    await editor.lens('Rent');
    await editor.closeAll();
  });

  it('create one from what an instance is', async () => {
    await createFrom('From an Instance');
    await window.document('"image": "nvidia/cuda"');
    await editor.lens('Create at the Service');
    assert.match(editor.text, /"FROM": "instance",\s+"HF_TOKEN": "\$\{secret:HF_TOKEN-/);
    assert.match(editor.text, /"args_str": "serve --name 'two words'"/);
    await editor.closeAll();
  });

  it('keep favourites and what was opened last, also in the next window', async () => {
    await templates().menu('Alpha', 'Add Template to Favorites');
    await templates().row('Favorites');
    await templates().click('Beta');
    await editor.shows('Beta.json', '"name": "Beta"');
    await templates().row('Recent');
    window.close();
    window = await computer().openWindow({ isFocused: true });
    editor = new DocumentDriver(window);
    await templates().row('Favorites');
    await computer().until('the favorite in its group', async () =>
      /^Alpha/.test(await rowBelow('Favorites')),
    );
    assert.match(await rowBelow('Recent'), /^Beta/);
    await templates().menu('Alpha', 'Remove Template from Favorites');
    await templates().noRow('Favorites');
    await templates().row('Recent');
  });

  it('open the page of an image, and never another kind of link', async () => {
    await templates().menu('Alpha', 'Open Image Page');
    const page = 'https://hub.docker.com/r/pytorch/pytorch';
    await computer().until('the page', () => window.screen.externalLinks.at(-1) === page);
    await templates().menu('Beta', 'Open Image Page');
    await window.toast(/This image has no known page/);
    assert.deepEqual(window.screen.externalLinks, [page]);
    window.clearToasts();
  });

  it('rent from a document only as it is at the service, and show that', async () => {
    window.run('Open Template…');
    await quick().title('Open Template');
    await quick().pick('Alpha');
    await editor.shows('Alpha.json', '"name": "Alpha"');
    await editor.type({ desc: 'not saved yet' });
    await editor.press('Rent');
    await window.dialog(/not saved/);
    assert.equal(service.sent('PUT').length, 0);
    await window.dialogButton('Save and Continue');
    await quick().title('Search Offers for Alpha');
    assert.equal(service.sent('PUT').length, 1);
    assert.equal((await service.record(alpha))['desc'], 'not saved yet');
    quick().escape();
  });

  it('show that everywhere a template that is being edited is rented from', async () => {
    const before = service.sent('PUT').length;
    await editor.type({ desc: 'nor this' });
    await templates().menu('Alpha (unsaved)', 'Rent from Template…');
    await window.dialog(/not saved/);
    await window.dialogButton('Not Now');
    assert.equal(quick().isOpen, false);
    window.run('Rent from Template…');
    await quick().title('Rent from Template');
    await quick().pick('Alpha');
    await window.dialogButton('Save and Continue', /“Alpha” is not saved/);
    await quick().title('Search Offers for Alpha');
    assert.equal(service.sent('PUT').length, before + 1);
    quick().escape();
  });

  it('ask to save a template that is being edited before it is copied or exported', async () => {
    const before = service.sent('PUT').length;
    await editor.type({ desc: 'for the copy' });
    await templates().menu('Alpha (unsaved)', 'Duplicate Template');
    await window.dialog(/“Alpha” is not saved. Save it first/);
    await window.dialogButton('Not Now');
    await templates().menu('Alpha (unsaved)', 'Export Template to a File…');
    const file = path.join(computer().workspace, 'alpha.gpu-template.json');
    window.screen.fileDialogs.push([file]);
    await window.dialogButton('Save and Continue', /“Alpha” is not saved. Save it first/);
    await computer().until('the file', () => existsSync(file));
    assert.match(readFileSync(file, 'utf8'), /"desc": "for the copy"/);
    assert.equal(service.sent('PUT').length, before + 1);
    await editor.closeAll();
    await templates().click('Alpha');
    await editor.shows('Alpha.json', '"name": "Alpha"');
  });

  it('find offers by the filters of a document, written as an object or as text', async () => {
    for (const [filters, wanted] of [
      [{ num_gpus: { eq: 4 } }, 4],
      [JSON.stringify({ num_gpus: { eq: 8 } }), 8],
    ] as const) {
      await editor.type({ extra_filters: filters });
      await editor.press('Find Offers for This Document');
      await quick().title('Search Offers');
      await computer().until(
        'the search',
        () => JSON.stringify(lastSearch()['num_gpus']) === JSON.stringify({ eq: wanted }),
      );
      quick().escape();
      await computer().rest();
    }
    await editor.closeAll();
  });

  it('search by a query that completes itself, and open read-only', async () => {
    await search('count_c');
    await quick().pick('count_created');
    await computer().until('the completion', () => quick().open.value === 'count_created ');
    await quick().type('image = nvidia/cuda', { enter: false });
    await quick().pick('NVIDIA CUDA (SSH)');
    await editor.shows('NVIDIA CUDA (SSH).json', '"image": "nvidia/cuda"');
    await editor.lens('Save as Mine');
    const { uri } = editor.document;
    const files = window.screen.documents.files.systems.get(uri.scheme);
    assert.equal((await files?.stat(uri))?.permissions, 1);
  });

  it('save another user’s as mine, private and without their registry', async () => {
    const before = posts();
    await editor.press('Save as Mine');
    await editor.press('Create at the Service');
    await editor.lens('Rent');
    assert.equal(posts(), before + 1);
    const { name, private: isPrivate, docker_login_pass: pass } = service.sent('POST').at(-1) ?? {};
    assert.deepEqual([name, isPrivate, pass], ['NVIDIA CUDA (SSH)', true, '']);
    await editor.noLens('Create at the Service');
    await editor.closeAll();
  });

  it('show what is wrong with a query, and that the search failed rather than found nothing', async () => {
    await search('nonsense = 1');
    await quick().row('"nonsense" is not a search field');
    await quick().type('name = nothing-is-called-this', { enter: false });
    await quick().row('No template matches');
    await addBrokenRecord(computer().simulator, route, 'templates');
    await quick().type('count_created > 0', { enter: false });
    await quick().row('Could not be read and are left out: 1.');
    computer().simulator.faults.clear();
    computer().simulator.fail({ kind: 'html500', method: 'GET', path: route, times: 9 });
    await quick().type('count_created > 1', { enter: false });
    await quick().row(/service|failed/i);
    assert.ok(
      !quick()
        .rows()
        .some((row) => row.includes('No template matches')),
    );
    computer().simulator.faults.clear();
    quick().escape();
    await computer().rest();
  });

  it('propose a name for an exported template that is a file everywhere', async () => {
    await service.make('nul.\u202etxt.');
    window.run('Refresh');
    const row = await templates().row(/^nul/);
    window.screen.fileDialogs.push(undefined);
    await templates().menu(row.text, 'Export Template to a File…');
    const proposed = await computer().until('a proposal', () => window.screen.proposedFiles.at(-1));
    assert.equal(path.basename(proposed), '_nul.txt.gpu-template.json');
  });

  it('explain why an exported template could not be saved, and offer the dialog again', async () => {
    const { workspace } = computer();
    const file = path.join(workspace, 'exported.gpu-template.json');
    window.screen.fileDialogs.push([workspace], [file]);
    await templates().menu('Gamma', 'Export Template to a File…');
    await window.toastButton(`Could not save ${workspace}: EISDIR`, 'Retry');
    await window.document(/"name": "Gamma"/);
    assert.match(readFileSync(file, 'utf8'), /"name": "Gamma"/);
    window.clearToasts();
  });

  it('delete several after one question that names them all', async () => {
    await templates().menu('Gamma', 'Delete Template', ['Beta']);
    await window.dialog(/Delete 2 templates.*(Beta.*Gamma|Gamma.*Beta)/s);
    const deletions = () => service.sent('DELETE').length;
    assert.equal(deletions(), 0);
    await window.dialogButton('Delete');
    await computer().until('both deletions', () => deletions() === 2);
    // What was used lately stays named there, as deleted.
    await templates().noRow('Gamma');
  });

  it('name in the question before a sign-out what is not saved yet, drafts included', async () => {
    await createFrom('From Scratch');
    await editor.lens('Create at the Service');
    await templates().click('Alpha');
    await editor.shows('Alpha.json', '"name": "Alpha"');
    window.run('Sign Out…');
    const { detail } = await window.dialog('Sign out of');
    assert.match(detail ?? '', /Save these templates first to keep them: Template\. /);
    await window.dialogButton('Cancel');
    await editor.type({ desc: 'not saved' });
    window.run('Sign Out…');
    const next = await window.dialog('Sign out of');
    assert.match(next.detail ?? '', /Save these templates first to keep them: Template, Alpha\. /);
    await window.dialogButton('Cancel');
    await editor.closeAll();
  });

  it('name those of several that could not be deleted, and leave out of the list those that were', async () => {
    for (const name of ['Delta', 'Epsilon', 'Zeta']) {
      await service.make(name);
    }
    window.run('Refresh');
    await templates().row('Zeta');
    computer().simulator.fail({
      kind: 'error',
      status: 403,
      error: 'forbidden',
      method: 'DELETE',
      path: '/api/v0/template/',
      skip: 1,
    });
    await templates().menu('Zeta', 'Delete Template', ['Delta', 'Epsilon']);
    await window.dialogButton('Delete', 'Delete 3 templates');
    const { text } = await window.toast(/^Not deleted: /);
    const left = ['Delta', 'Epsilon', 'Zeta'].filter((name) => text.includes(name));
    assert.equal(left.length, 2);
    const [gone = ''] = ['Delta', 'Epsilon', 'Zeta'].filter((name) => !left.includes(name));
    await templates().noRow(gone);
    await templates().row(left[0] ?? '');
    window.clearToasts();
  });

  it('show the first rows of a long list at once, and the next when asked', async () => {
    for (let index = 0; index < 205; index++) {
      await service.make(`Bulk ${index}`);
    }
    window.run('Refresh');
    const more = await templates().row('Show More…');
    const rows = await templates().rows();
    const end = rows.findIndex(({ text }) => text === more.text);
    const heading = rows.findLastIndex(({ depth }, index) => index < end && depth < more.depth);
    assert.equal(end - heading - 1, 200);
    await templates().click('Show More…');
    await templates().noRow('Show More…');
    assert.equal((await templates().texts()).filter((text) => text.startsWith('Bulk')).length, 205);
  });
});
