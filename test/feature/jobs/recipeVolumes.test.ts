import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FakeUri } from '../../support/fakeEditor/values';
import { registerKey } from '../../support/feature/reachable';
import { newInstance, occupyGpus, rentNow, reviewFirst } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a workspace file with volumes and a bid', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  /** A machine with offers of both, and what the service lists of them. */
  let machineId: number;
  let volumeOffer: number;
  const call = (method: string, address: string, body?: unknown) =>
    computer().simulator.call(method, address, body);
  const sent = () =>
    computer()
      .simulator.received('PUT', /^\/api\/v0\/asks\//)
      .map(({ body }) => body as Record<string, unknown>);
  const searched = () =>
    computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as Record<string, unknown>;

  function write(recipe: Record<string, unknown>): void {
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ image: 'a/b:1', maxPricePerHour: 20, diskGb: 10, ...recipe }));
    // Reopens it, as after a pull.
    const { documents } = window.screen;
    documents.close(documents.byUri(FakeUri.file(file)));
  }

  before(async () => {
    await registerKey(computer());
    const { json } = await call('POST', '/api/v0/volumes/search/', { disk_space: { gte: 100 } });
    for (const offer of json.offers as readonly { id: number; machine_id: number }[]) {
      const found = await call('POST', '/api/v0/bundles/', {
        ...{ machine_id: { eq: offer.machine_id }, rentable: { eq: true }, verified: { eq: true } },
        type: 'ondemand',
      });
      // More offers must remain once one is rented.
      const asks = found.json.offers as readonly { num_gpus: number }[];
      if (asks.some(({ num_gpus }) => num_gpus === 2)) {
        [machineId, volumeOffer] = [offer.machine_id, offer.id];
        break;
      }
    }
    assert.ok(machineId > 0);
    window = await computer().openSignedIn();
  });

  beforeEach(() => {
    window.clearToasts();
  });

  it('asks where the account has none, and creates nothing without its price', async () => {
    write({ volumes: [{ name: 'data', mount: '/data', sizeGb: 40 }] });
    window.run('Rent for This Workspace…');
    const { detail } = await window.dialog(
      'Your account has no volume data, which the workspace file wants at /data.',
    );
    assert.match(detail ?? '', /A new one of 40 GB can be created .* The confirmation shows its price/);
    await window.dialogButton('Not Now');
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
    write({ volumes: [{ name: 'data', mount: '/data' }], filters: { machine_id: { eq: machineId } } });
    window.run('Rent for This Workspace…');
    const { buttons } = await window.dialog(/has no volume data/);
    assert.deepEqual(buttons, ['Not Now', 'Rent Without It', 'Cancel']);
    await window.dialogButton('Rent Without It');
    await window.quick.title('Search Offers for This Workspace');
    window.quick.escape();
    assert.deepEqual(sent(), []);
  });

  it('creates one with the instance by its name, after a confirmation with its price', async () => {
    write({
      volumes: [{ name: 'data', mount: '/data', sizeGb: 40 }],
      filters: { machine_id: { eq: machineId } },
    });
    window.run('Rent for This Workspace…');
    await window.dialogButton('Create with the Instance');
    await window.quick.title('Search Offers for This Workspace');
    await newInstance(computer(), async () => {
      await reviewFirst(window, /1× /);
      await window.quick.row('data, a new one of 40 GB at /data');
      await rentNow(window);
    });
    assert.deepEqual(sent().at(-1)?.['volume_info'], {
      ...{ create_new: true, volume_id: volumeOffer, size: 40, mount_path: '/data', name: 'data' },
    });
  });

  it('searches the machine of the volume that exists, and attaches it', async () => {
    const { json } = await call('GET', '/api/v0/volumes/?owner=me&type=all_volume');
    const [volume] = json.volumes as readonly { id: number; label: string }[];
    assert.equal(volume?.label, 'data');
    write({ runType: 'ssh_proxy', volumes: [{ name: 'data', mount: '/mnt/data' }] });
    window.run('Rent for This Workspace…');
    await window.quick.pick('Rent Another Instance');
    await window.quick.title('Search Offers with the Volume data');
    await newInstance(computer(), async () => {
      await reviewFirst(window, /1× /);
      await window.quick.row(`data (V.${volume.id}) at /mnt/data`);
      await rentNow(window);
    });
    const [listed] = computer().simulator.received('POST', '/api/v0/bundles/').slice(-2);
    assert.deepEqual((listed?.body as Record<string, unknown>)['machine_id'], { eq: machineId });
    const { volume_info, runtype } = sent().at(-1) ?? {};
    assert.deepEqual(volume_info, { create_new: false, volume_id: volume.id, mount_path: '/mnt/data' });
    assert.equal(runtype, 'ssh_proxy');
  });

  it('searches everywhere where the volume is optional', async () => {
    write({ volumes: [{ name: 'data', mount: '/data', optional: true }] });
    window.run('Rent for This Workspace…');
    await window.quick.pick('Rent Another Instance');
    await window.quick.title('Search Offers for This Workspace');
    await computer().until('the search', () => searched()['machine_id'] === undefined);
    window.quick.escape();
  });

  it('rents nothing where the volumes could not be read', async () => {
    write({ volumes: [{ name: 'data', mount: '/data' }] });
    computer().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    window.run('Rent for This Workspace…');
    await window.quick.pick('Rent Another Instance');
    await window.toast(/problem of its own/);
    assert.equal(window.quick.isOpen, false);
    computer().simulator.faults.clear();
  });

  it('offers a clone with its price where no GPU is free beside the volume', async () => {
    write({ volumes: [{ name: 'data', mount: '/data' }] });
    await occupyGpus(computer(), 0, machineId);
    const ask = async () => {
      window.run('Rent for This Workspace…');
      await window.quick.pick('Rent Another Instance');
      return window.dialog('No GPU is free on the machine of the volume data.');
    };
    const question = await ask();
    assert.match(
      question.detail ?? '',
      /A clone of 40 GB on another machine costs from \$\S+\/day, and the volume still costs \$\S+\/day\./,
    );
    question.press('Not Now');
    await computer().rest();
    assert.equal(window.quick.isOpen, false);
    (await ask()).press('Clone Volume…');
    await window.quick.title(/Clone/);
    await window.quick.pick(/per GB and month/);
    await window.quick.type('40');
    await window.dialogButton('Clone', /^Clone the volume data\?/);
    await window.quick.title('Search Offers with the Volume data');
    const { machine_id } = searched();
    assert.notDeepEqual(machine_id, { eq: machineId });
    assert.ok(machine_id);
    window.quick.escape();
  });

  it('bids no more than the file allows', async () => {
    write({ interruptible: { maxBid: 0.3 } });
    window.run('Rent for This Workspace…');
    await window.quick.pick('Rent Another Instance');
    await window.quick.title('Search Offers for This Workspace');
    await computer().until('the search', () => JSON.stringify(searched()['min_bid']) === '{"lte":0.3}');
    assert.equal(searched()['type'], 'bid');
    const { price } = await newInstance(computer(), async () => {
      await reviewFirst(window, /×/);
      await window.quick.pick(/^Your bid/);
      await window.quick.title(/Your bid/);
      await window.quick.type('0.31', { enter: false });
      await window.quick.row('The workspace file allows a bid of at most $0.300/h.');
      await window.quick.back();
      await window.quick.title('Rent: Confirm');
      await rentNow(window);
    }).then(() => sent().at(-1) as { price: number });
    assert.ok(price > 0 && price <= 0.3, String(price));
  });
});
