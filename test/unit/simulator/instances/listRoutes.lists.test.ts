import assert from 'node:assert/strict';
import { instance as instanceSchema, instanceList } from '../../../../src/wire/instance';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

describe('The lists of instances', () => {
  const simulators = useSimulators();

  async function rentMany(simulator: TestSimulator, count: number): Promise<number[]> {
    const ids: number[] = [];
    const { market } = simulator.world;
    while (ids.length < count) {
      const slice = market.offers.find((each) => market.isRentable(each) && each.gpus === 1);
      const { json } = await simulator.call('PUT', `/api/v0/asks/${slice?.offerId ?? 0}/`, {
        image: 'a/b',
        label: ids.length % 2 === 0 ? 'even' : 'odd',
      });
      ids.push(Number(json.new_contract));
    }
    return ids;
  }

  it('answer nothing as an empty list', async () => {
    const simulator = await simulators.start();
    const { json } = await simulator.call('GET', '/api/v0/instances/');
    assert.deepEqual(json, { instances_found: 0, instances: [] });
    const paged = await simulator.call('GET', '/api/v1/instances/');
    assert.deepEqual([paged.json.total_instances, paged.json.next_token], [0, null]);
  });

  it('answer rows that the wire schema accepts', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const ids = await rentMany(simulator, 3);
    simulator.advance(300);
    for (const version of ['v0', 'v1']) {
      const { json } = await simulator.call('GET', `/api/${version}/instances/`);
      const list = instanceList.parse(json);
      assert.equal(list.found, 3);
      const rows = list.rows.map((row) => instanceSchema.parse(row));
      assert.deepEqual(
        rows.map((row) => row.id),
        ids,
      );
      assert.deepEqual(new Set(rows.map((row) => row.actual_status)), new Set(['running']));
      assert.ok(rows.every((row) => Number(row.dph_total) > 0 && Number(row.disk_space) === 8));
    }
  });

  it('have pages of 25 at most, which miss nothing when instances are destroyed in between', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const ids = await rentMany(simulator, 55);
    const seen: number[] = [];
    let token = '';
    const sizes: number[] = [];
    do {
      const query = token === '' ? '?limit=100' : `?limit=25&after_token=${token}`;
      const { json } = await simulator.call('GET', `/api/v1/instances/${query}`);
      const list = instanceList.parse(json);
      sizes.push(list.rows.length);
      seen.push(...list.rows.map((row) => instanceSchema.parse(row).id));
      token = list.next ?? '';
      if (sizes.length === 1) {
        assert.deepEqual(json.label_counts, { even: 28, odd: 27 });
        await simulator.call('DELETE', `/api/v0/instances/${String(ids[3])}/`);
      }
    } while (token !== '');
    assert.deepEqual(sizes, [25, 25, 5]);
    assert.deepEqual(seen, ids);
  });

  it('refuse a page token or a limit that is none', async () => {
    const simulator = await simulators.start();
    const token = await simulator.call('GET', '/api/v1/instances/?after_token=nonsense');
    assert.deepEqual([token.status, token.json.error], [400, 'invalid_token']);
    assert.equal((await simulator.call('GET', '/api/v1/instances/?limit=0')).status, 400);
  });

  it('can report v0 as deprecated', async () => {
    const simulator = await simulators.start({ deprecatedList: true });
    const { status, json } = await simulator.call('GET', '/api/v0/instances/');
    assert.deepEqual([status, json.error], [410, 'deprecated_endpoint']);
    assert.equal((await simulator.call('GET', '/api/v1/instances/')).status, 200);
  });
});
