import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { exactly } from '../support/quickInput';
import { lastOf } from '../support/rows';
import { useUiSession } from '../support/uiSession';
import { pause, until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('renting from a template and by bid', function () {
  this.timeout(180_000);
  const session = useUiSession('rentFromTemplate');
  let workbench: Workbench;

  let template: { id: number; hash_id: string };

  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const bodyOf = (index: number) => rentals()[index]?.body as Record<string, unknown> | undefined;

  async function currentTemplate(): Promise<typeof template> {
    const query = encodeURIComponent(JSON.stringify({ id: { eq: template.id } }));
    const { json } = await session().simulator.call('GET', `/api/v0/template/?select_filters=${query}`);
    const [found] = (json as { templates: (typeof template)[] }).templates;
    assert.ok(found);
    return found;
  }

  async function rentOne(): Promise<void> {
    const before = rentals().length;
    await workbench.quick.waitForTitle('Rent: Confirm');
    await until('the rental', async () => {
      if (rentals().length === before && (await workbench.quick.widget.isVisible())) {
        await workbench.page.keyboard.press('Enter');
        // An Enter that comes right after the one of the step before does not rent.
        await pause(1500);
      }
      return rentals().length > before;
    });
  }

  it('searches with the filters of the template', async () => {
    const { json } = await session().simulator.call('POST', '/api/v0/template/', {
      name: 'Two cards',
      image: 'pytorch/pytorch',
      tag: 'latest',
      env: '-e MODE=train',
      runtype: 'ssh',
      ssh_direct: true,
      recommended_disk_space: 42,
      extra_filters: { gpu_name: { eq: 'RTX_3090' }, cuda_max_good: { gte: 12 } },
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    });
    template = json.template as typeof template;
    assert.ok(template.hash_id);
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.run('Rent from Template…');
    await workbench.quick.waitForTitle('Rent from Template');
    // Nobody has opened the view of the templates yet.
    await workbench.quick.row('Two cards').waitFor();
    await workbench.shot('00-templates');
    assert.match(
      (await workbench.quick.rowTexts()).join('\n'),
      /Your Templates\n.*\nTwo cards.*\n.*Recommended Templates/,
    );
    await workbench.quick.input.fill('Search All');
    await workbench.quick.pick('Search All Templates…');
    await workbench.quick.waitForTitle('Search All Templates');
    await workbench.quick.input.fill('name =');
    await until('the reason', async () => (await workbench.quick.message()).includes('A value is expected'));
    await workbench.shot('00-template-search');
    await workbench.quick.input.fill('name = "NVIDIA CUDA (SSH)"');
    await workbench.quick.enter();
    await workbench.quick.waitForTitle('Templates Found');
    await workbench.quick.row('NVIDIA CUDA (SSH)').waitFor();
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Search All Templates');
    await workbench.quick.back();
    await workbench.quick.waitForTitle('Rent from Template');
    await workbench.quick.pick('Two cards');
    await workbench.quick.waitForTitle('Search Offers for Two cards');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('01-offers');
    const body = session()
      .simulator.received('POST', /bundles/)
      .at(-1)?.body as Record<string, unknown>;
    assert.deepEqual(body['gpu_name'], { eq: 'RTX 3090' });
    assert.deepEqual(body['cuda_max_good'], { gte: 12 });
    assert.equal(body['allocated_storage'], 42);
  });

  it('sends the template, its disk and a label, and nothing that was not changed', async () => {
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Rent: Disk');
    assert.equal(await workbench.quick.input.inputValue(), '42');
    await workbench.quick.enter();
    await workbench.quick.waitForTitle('Rent: Label');
    await workbench.quick.enter();
    await workbench.quick.waitForTitle('Rent: Run Type');
    await workbench.shot('02-runtype');
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Rent: Confirm');
    for (const merged of [/^Disk ?42 GB \(from the template\)/, /^Environment ?MODE \(from the template\)/]) {
      await until(`the row ${String(merged)}`, async () =>
        (await workbench.quick.rowTexts()).some((text) => merged.test(text)),
      );
    }
    await workbench.shot('03-confirm');
    await rentOne();
    const body = bodyOf(0);
    assert.ok(body);
    assert.deepEqual(Object.keys(body).sort(), ['cancel_unavail', 'disk', 'label', 'template_hash_id']);
    assert.equal(body['disk'], 42);
    assert.match(String(body['label']), /^\[gr-[0-9a-f]{8}\]$/);
    await workbench.toast(/Getting .* ready/);
  });

  it('says that its template was edited before another one like it is rented', async () => {
    const { quick } = workbench;
    const edit = { hash_id: template.hash_id, desc: 'edited since' };
    assert.equal((await session().simulator.call('PUT', '/api/v0/template/', edit)).status, 200);
    await workbench.run('Rent Another Like This…');
    await quick.waitForTitle('Rent Another Like This');
    await quick.pickMatching('RTX 3090');
    await workbench.dialog.filter({ hasText: 'Two cards was edited since that rental' }).waitFor();
    await workbench.shot('03-edited-since');
    await workbench.dialogButton('Rent from the Current Version');
    await quick.waitForTitle(/Search Offers like/);
    await quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
    assert.equal(rentals().length, 1);
  });

  it('says so where it was rented from lately, and where it is edited behind a price that is shown', async () => {
    const { quick } = workbench;
    const view = workbench.view('Templates');
    await view.open();
    // The last group but the recommended ones, which are folded.
    await view.row(/^Recent ?1$/).waitFor();
    await view.contextMenu(await lastOf(view.rows.filter({ hasText: 'Two cards' })), /^Rent from Template…$/);
    await workbench.dialog.filter({ hasText: 'Two cards was edited since you chose it' }).waitFor();
    await workbench.dialogButton('Rent from the Current Version');
    await quick.waitForTitle('Search Offers for Two cards');
    await quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await quick.enter({ isList: true });
    for (const step of ['Disk', 'Label', 'Run Type']) {
      await quick.waitForTitle(`Rent: ${step}`);
      await quick.enter({ isList: step === 'Run Type' });
    }
    await quick.waitForTitle('Rent: Confirm');
    const { hash_id } = await currentTemplate();
    const edit = { hash_id, env: '-e MODE=infer -e EXTRA=1' };
    assert.equal((await session().simulator.call('PUT', '/api/v0/template/', edit)).status, 200);
    // An Enter that comes right after the one of the step before does not rent.
    await pause(1500);
    await workbench.page.keyboard.press('Enter');
    await quick.rows.filter({ hasText: 'The template Two cards was edited meanwhile' }).waitFor();
    await quick.rows.filter({ hasText: /EXTRA, MODE|MODE, EXTRA/ }).waitFor();
    await workbench.shot('03-edited-meanwhile');
    assert.equal(rentals().length, 1);
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('asks for a bid where the offer is interruptible, and sends it', async () => {
    await workbench.run('Search Offers…');
    await workbench.quick.waitForTitle('Search Offers');
    await workbench.quick.widget.locator('.quick-input-box input:focus').waitFor();
    await workbench.page.keyboard.type('spot 1x 3090');
    await workbench.quick.rows
      .filter({ hasText: /1× RTX 3090.*interruptible ·/ })
      .first()
      .waitFor({ timeout: 60_000 });
    await workbench.shot('04-interruptible');
    const search = session()
      .simulator.received('POST', /bundles/)
      .at(-1)?.body as Record<string, unknown>;
    assert.equal(search['type'], 'bid');
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Rent: Template or Image');
    // The template of the last rental is the one to begin with.
    await workbench.quick.widget
      .locator('.monaco-list-row.focused')
      .filter({ has: workbench.page.locator('.label-name', { hasText: exactly('Two cards') }) })
      .waitFor();
    await workbench.shot('04-sources');
    for (const [from, to] of [
      ['list', 'Disk'],
      ['box', 'Label'],
      ['box', 'Run Type'],
      ['list', 'Your Bid'],
    ]) {
      await workbench.quick.enter({ isList: from === 'list' });
      await workbench.quick.waitForTitle(`Rent: ${to}`);
    }
    await workbench.shot('05-bid');
    await workbench.quick.enter();
    await workbench.quick.waitForTitle('Rent: Confirm');
    await workbench.shot('06-bid-confirm');
    await rentOne();
    const body = bodyOf(1);
    assert.ok(body);
    assert.ok(Number(body['price']) > 0);
  });
});
