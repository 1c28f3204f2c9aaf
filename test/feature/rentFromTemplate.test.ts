import assert from 'node:assert/strict';
import { addBrokenRecord } from '../support/brokenRecord';
import { FakeQuickPick } from '../support/fakeEditor/quickInput';
import {
  confirmRental,
  generateKey,
  lastSearch,
  newInstance,
  rentalsOf,
  rentNow,
  searchFor,
} from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

interface Created {
  readonly id: number;
  readonly hash_id: string;
}

/** Labels of all that the list shows, headings included. */
function labels({ quick }: FeatureWindow): string[] {
  const { open } = quick;
  assert.ok(open instanceof FakeQuickPick);
  return open.items.map(({ label }) => plain(label));
}

const plain = (label: string) => label.replace(/\$\([a-z-]+\) ?/g, '');

const twoCards = {
  name: 'Two cards',
  image: 'pytorch/pytorch',
  tag: 'latest',
  env: '-e MODE=train',
  runtype: 'ssh',
  ssh_direct: true,
  recommended_disk_space: 42.5,
  extra_filters: { gpu_name: { eq: 'RTX_3090' }, cuda_max_good: { gte: 12 } },
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
};

describe('renting from a template and by bid', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let template: Created;
  const quick = () => window.quick;
  const bodyOf = (index: number) => {
    const body = rentalsOf(computer())[index]?.body as Record<string, unknown> | undefined;
    assert.ok(body, `rental ${index} was not sent`);
    return body;
  };

  async function currentTemplate(): Promise<Created> {
    const query = encodeURIComponent(JSON.stringify({ id: { eq: template.id } }));
    const { json } = await computer().simulator.call('GET', `/api/v0/template/?select_filters=${query}`);
    const [found] = (json as { templates: Created[] }).templates;
    assert.ok(found);
    return found;
  }

  async function edit(change: Readonly<Record<string, unknown>>): Promise<void> {
    const { hash_id } = await currentTemplate();
    const { status, text } = await computer().simulator.call('PUT', '/api/v0/template/', {
      hash_id,
      ...change,
    });
    assert.equal(status, 200, text);
  }

  /** Enter at each step, with the defaults, up to the one named last. */
  async function through(...steps: readonly string[]): Promise<void> {
    for (const step of steps) {
      await quick().enter();
      await quick().title(`Rent: ${step}`);
    }
  }

  it('searches with the filters of the template', async () => {
    const { json } = await computer().simulator.call('POST', '/api/v0/template/', twoCards);
    template = (json as { template: Created }).template;
    assert.ok(template.hash_id);
    window = await computer().openSignedIn();
    window.run('Rent from Template…');
    await quick().title('Rent from Template');
    // The view of the templates has never been open.
    await quick().row('Two cards');
    assert.deepEqual(labels(window).slice(0, 5), [
      'Your Templates',
      'Fine-tuning',
      'Shared notebook',
      'Two cards',
      'Recommended Templates',
    ]);
    await quick().pick('Search All Templates');
    await quick().title('Search All Templates');
    await quick().type('name =', { enter: false });
    await quick().message('Expected a value');
    await quick().type('name = "NVIDIA CUDA (SSH)"');
    await quick().title('Templates Found');
    await quick().row('NVIDIA CUDA (SSH)');
    await quick().back();
    await quick().title('Search All Templates');
    await addBrokenRecord(computer().simulator, '/api/v0/template/', 'templates');
    await quick().type('count_created > 0');
    await quick().row('Could not be read and are left out: 1.');
    computer().simulator.faults.clear();
    await quick().back();
    await quick().title('Search All Templates');
    await quick().back();
    await quick().title('Rent from Template');
    await quick().pick('Two cards');
    await quick().title('Search Offers for Two cards');
    await quick().row('% reliable');
    const body = lastSearch(computer());
    assert.deepEqual(body['gpu_name'], { eq: 'RTX 3090' });
    assert.deepEqual(body['cuda_max_good'], { gte: 12 });
    assert.equal(body['allocated_storage'], 42.5);
  });

  it('sends the template, its disk and a label, and nothing that was not changed', async () => {
    await quick().pick('% reliable');
    await quick().title('Rent: Disk');
    assert.equal(quick().open.value, '42.5');
    await through('Label', 'Run type', 'Confirm');
    await quick().row(/^Disk 42.5 GB \(from the template\)/);
    await quick().row(/^Environment MODE \(from the template\)/);
    await newInstance(computer(), async () => {
      await confirmRental(window);
      await generateKey(window);
    });
    assert.equal(rentalsOf(computer()).length, 1);
    const { label, ...body } = bodyOf(0);
    assert.deepEqual(body, { template_hash_id: template.hash_id, disk: 42.5, cancel_unavail: true });
    assert.match(String(label), /^\[gr-[0-9a-f]{8}\]$/);
    await window.toast(/^Getting .* ready/);
    // That is the one message of an ordinary rental.
    assert.deepEqual(
      window.screen.messages.history.filter(({ text }) => text.startsWith('Rented as')),
      [],
    );
  });

  it('shows that its template was edited before another one like it is rented', async () => {
    await edit({ desc: 'edited since' });
    window.run('Rent Another Like This…');
    await quick().title('Rent Another Like This');
    assert.deepEqual(quick().headings(), ['Instances']);
    await quick().pick('RTX 3090');
    await window.dialogButton('Rent from the Current Version', 'Two cards was edited after it was chosen');
    await quick().title(/Search Offers like/);
    await quick().row('% reliable');
    quick().escape();
    assert.equal(rentalsOf(computer()).length, 1);
  });

  it('shows it if it was rented from lately, and if it is edited behind a price that is shown', async () => {
    const view = window.view('templates');
    await view.row(/^Recent 1$/);
    view.tree.collapse(await view.row(/^Mine/));
    await view.menu('Two cards', 'Rent from Template…');
    await window.dialogButton('Rent from the Current Version', 'Two cards was edited after it was chosen');
    await quick().title('Search Offers for Two cards');
    await quick().pick('% reliable');
    await quick().title('Rent: Disk');
    await through('Label', 'Run type', 'Confirm');
    await edit({ env: '-e MODE=infer -e EXTRA=1' });
    await confirmRental(window);
    await quick().row('The template Two cards was edited after it was chosen');
    await quick().row(/EXTRA, MODE|MODE, EXTRA/);
    assert.equal(rentalsOf(computer()).length, 1);
    quick().escape();
  });

  it('asks for a bid where the offer is interruptible, and sends it', async () => {
    await searchFor(window, 'spot 1x 3090', /1× RTX 3090/);
    assert.equal(lastSearch(computer())['type'], 'bid');
    await quick().enter();
    await quick().title('Rent: Template');
    // The template of the last rental is the one to begin with.
    const { open } = quick();
    assert.ok(open instanceof FakeQuickPick);
    assert.equal(open.activeItems[0]?.label, 'Two cards');
    await through('Disk', 'Label', 'Run type', 'Your bid', 'Confirm');
    await rentNow(window);
    assert.equal(rentalsOf(computer()).length, 2);
    const { label, price, ...body } = bodyOf(1);
    assert.deepEqual(body, {
      template_hash_id: (await currentTemplate()).hash_id,
      disk: 42.5,
      cancel_unavail: true,
    });
    assert.match(String(label), /^\[gr-[0-9a-f]{8}\]$/);
    assert.ok(Number(price) > 0);
  });
});

describe('the list of templates to rent from', () => {
  const computer = useComputer();
  let window: FeatureWindow;

  before(async () => {
    const { status, text } = await computer().simulator.call('POST', '/api/v0/template/', twoCards);
    assert.equal(status, 200, text);
    window = await computer().openSignedIn();
  });
  afterEach(() => {
    window.quick.escape();
  });

  it('lists own templates first, then recent ones, favorites and what the service recommends', async () => {
    const view = window.view('templates');
    await view.expand('Recommended');
    await view.menu('NVIDIA CUDA (SSH)', 'Add Template to Favorites');
    await view.row('Favorites');
    await view.click('PyTorch (CUDA)');
    await view.row('Recent');
    const order = [
      'Your Templates',
      'Fine-tuning',
      'Shared notebook',
      'Two cards',
      'Recent Templates',
      'PyTorch (CUDA)',
      'Favorite Templates',
      'NVIDIA CUDA (SSH)',
      'Recommended Templates',
      'vLLM server',
      'More Templates',
      'Recommended by the Service…',
      'Search All Templates',
    ];
    window.run('Rent from Template…');
    await window.quick.title('Rent from Template');
    assert.deepEqual(labels(window), order);
    window.quick.escape();
    await searchFor(window, '1x 3090', /1× RTX 3090/);
    await window.quick.pick('% reliable');
    await window.quick.title('Rent: Template');
    assert.deepEqual(labels(window).slice(-order.length), order);
  });

  it('names an own template once that is recent, a favorite and recommended as well', async () => {
    const view = window.view('templates');
    await view.menu('Two cards', 'Add Template to Favorites');
    await view.click('Two cards');
    window.run('Rent from Template…');
    await window.quick.title('Rent from Template');
    await computer().until('the list', () => labels(window).includes('Two cards'));
    assert.equal(labels(window).filter((label) => label === 'Two cards').length, 1);
    assert.equal(labels(window).indexOf('Two cards'), 3);
  });

  it('shows the reason and the ways to other templates if the own ones can’t be read', async () => {
    computer().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/template/', times: 0 });
    const other = await computer().openWindow();
    other.run('Rent from Template…');
    await other.quick.title('Rent from Template');
    await other.quick.row('The service has a problem of its own');
    await other.quick.pick('Recommended by the Service…');
    await other.quick.title('Recommended Templates');
    await other.quick.row('The service has a problem of its own');
    computer().simulator.faults.clear();
    await other.quick.back();
    await other.quick.title('Rent from Template');
    await other.quick.pick('Recommended by the Service…');
    await other.quick.row('PyTorch (CUDA)');
    other.quick.escape();
    other.clearToasts();
  });

  it('waits no longer for templates once the user cancels', async () => {
    window.run('Rent from Template…');
    await window.quick.title('Rent from Template');
    computer().simulator.fail({ kind: 'delay', method: 'GET', path: '/api/v0/template/', delayMs: 25_000 });
    await window.quick.pick('Recommended by the Service…');
    await window.toastButton('Waiting for the service…', 'Cancel');
    await computer().pass(60_000);
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
  });

  it('rents nothing from a template that was deleted behind a price that is shown', async () => {
    const { simulator } = computer();
    await searchFor(window, '1x 3090', /1× RTX 3090/);
    await window.quick.pick('% reliable');
    await window.quick.title('Rent: Template');
    await window.quick.pick('Two cards');
    await window.quick.title('Rent: Disk');
    await window.quick.button('Keep the Defaults and Review');
    await window.quick.title('Rent: Confirm');
    const gone = { kind: 'error', status: 404, error: 'no_such_template', msg: 'Not here.' } as const;
    // The list of templates may be read at the same moment.
    simulator.fail({ ...gone, method: 'GET', path: '/api/v0/template/', times: 0 });
    await confirmRental(window);
    await generateKey(window);
    await window.quick.row('Could not check the template Two cards. Nothing was rented');
    simulator.faults.clear();
    const query = encodeURIComponent(JSON.stringify({ name: { eq: 'Two cards' } }));
    const { json } = await simulator.call('GET', `/api/v0/template/?select_filters=${query}`);
    const [{ hash_id }] = (json as { templates: [Created] }).templates;
    assert.equal((await simulator.call('DELETE', '/api/v0/template/', { hash_id })).status, 200);
    await confirmRental(window);
    await window.quick.row('The template Two cards was deleted');
    assert.deepEqual(rentalsOf(computer()), []);
    assert.deepEqual(simulator.world.instances, []);
  });
});
