import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { InstanceFolders } from '../../../src/simulator/instances/instanceFolders';
import { startTestSimulator, type TestSimulator } from '../../support/startSimulator';
import { useFolder } from '../../support/useFolder';

describe('A restarted simulator', () => {
  let folder = '';
  let stateFile: string;
  useFolder((made) => void (folder = made));
  beforeEach(() => {
    stateFile = path.join(folder, 'state.json');
  });
  const start = (options = {}) => startTestSimulator({ fakeClock: true, stateFile, seed: 3, ...options });

  async function rent(simulator: TestSimulator) {
    const { market } = simulator.world;
    const slice = market.offers.find((each) => market.isRentable(each));
    const { json } = await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, {
      image: 'a/b',
      label: 'kept',
      env: { HF_TOKEN: 'hidden-value' },
    });
    return { id: Number(json.new_contract), key: String(json.instance_api_key) };
  }

  it('continues where it was: instances, their boots, keys, money and the skipped time', async () => {
    const first = await start();
    const { id, key } = await rent(first);
    first.advance(30);
    const status = first.world.instance(id)?.actualStatus;
    const now = first.world.now();
    await first.close();

    const second = await start({ seed: 99 });
    assert.equal(second.world.seed, 3);
    assert.equal(second.world.now(), now);
    assert.equal(second.world.instance(id)?.actualStatus, status);
    assert.equal(second.world.instance(id)?.label, 'kept');
    second.advance(300);
    assert.equal(second.world.instance(id)?.actualStatus, 'running');
    const stopped = await second.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' }, key);
    assert.equal(stopped.status, 200);
    assert.ok((second.world.accounts[0]?.credit ?? 25) < 25);
    const other = await rent(second);
    assert.notEqual(other.id, id);
    await second.close();
  });

  it('opens what ran again', async () => {
    const first = await start();
    const { id } = await rent(first);
    first.advance(300);
    const port = first.world.instance(id)?.proxyPort;
    await first.close();
    const second = await start();
    assert.deepEqual(
      [second.world.instance(id)?.actualStatus, second.world.instance(id)?.proxyPort],
      ['running', port],
    );
    await second.close();
  });

  it('has written no secret in clear', async () => {
    const first = await start();
    const { key } = await rent(first);
    await first.close();
    const text = readFileSync(stateFile, 'utf8');
    for (const secret of [first.apiKey, key, 'hidden-value']) {
      assert.ok(!text.includes(secret));
    }
    await assert.rejects(start({ apiKey: 'another-key' }), /another API key/);
  });

  it('writes soon after a change, so that little is lost when it is killed', async () => {
    const simulator = await start({ plainState: true });
    await rent(simulator);
    while (!existsSync(stateFile) || !readFileSync(stateFile, 'utf8').includes('kept')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await simulator.close();
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });
});

describe('The folders of instances', () => {
  it('lie beside the state, go with their instance, and are no links', () => {
    const base = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-folders-'));
    try {
      const folders = new InstanceFolders({ stateFile: path.join(base, 's.json') });
      const home = folders.ensure(7);
      assert.equal(home, path.join(base, 's.json.instances', '7'));
      writeFileSync(path.join(home, 'workspace', 'x'), 'x');
      assert.equal(folders.ensure(7), home);
      assert.ok(existsSync(path.join(home, 'workspace', 'x')));
      folders.remove(7);
      assert.equal(existsSync(home), false);
      folders.dispose();
      assert.ok(existsSync(path.join(base, 's.json.instances')));
      symlinkSync(base, path.join(base, 'link'));
      assert.throws(
        () => new InstanceFolders({ instancesDir: path.join(base, 'link') }).ensure(1),
        /is a link/,
      );
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });

  it('are temporary without a place of their own', () => {
    const folders = new InstanceFolders({});
    folders.remove(1);
    const home = folders.ensure(1);
    assert.ok(existsSync(home));
    folders.dispose();
    assert.equal(existsSync(path.dirname(home)), false);
  });
});
