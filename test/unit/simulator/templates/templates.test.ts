import assert from 'node:assert/strict';
import { template } from '../../../../src/wire/template';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

const address = '/api/v0/template/';
const required = { docker_login_repo: '', docker_login_user: '', docker_login_pass: '' };

describe('templates of the simulator', () => {
  const simulators = useSimulators();

  interface Row {
    readonly id: number;
    readonly hash_id: string;
    readonly name: string;
    readonly [field: string]: unknown;
  }
  const search = async (
    simulator: TestSimulator,
    filters: unknown,
    more = '',
    key?: string,
  ): Promise<Row[]> => {
    const query = encodeURIComponent(JSON.stringify(filters));
    const answer = await simulator.call('GET', `${address}?select_filters=${query}${more}`, undefined, key);
    assert.equal(answer.status, 200, answer.text);
    return answer.json.templates as Row[];
  };
  const otherKey = async (simulator: TestSimulator): Promise<string> =>
    String((await simulator.call('POST', '/__sim/accounts/', {})).json.key);

  it('are found by every operator', async () => {
    const simulator = await simulators.start();
    const all = await search(simulator, {});
    const names = async (filters: unknown) => (await search(simulator, filters)).map(({ name }) => name);
    const middle = [...all].sort((a, b) => a.id - b.id)[3];
    assert.ok(middle);
    const { id, name } = middle;
    assert.deepEqual(await names({ id: { eq: id } }), [name]);
    assert.equal((await names({ id: { neq: id } })).length, all.length - 1);
    assert.equal((await names({ id: { lt: id } })).length, 3);
    assert.equal((await names({ id: { lte: id } })).length, 4);
    assert.equal((await names({ id: { gt: id } })).length, all.length - 4);
    assert.equal((await names({ id: { gte: id } })).length, all.length - 3);
    assert.deepEqual(await names({ name: { in: [name, 'nothing'] } }), [name]);
    assert.equal((await names({ name: { notin: [name] } })).length, all.length - 1);
    assert.equal((await names({ id: { gte: id, lte: id } })).length, 1, 'two operators of one field');
    assert.deepEqual(await names({ id: { eq: String(id) } }), [name], 'values as text');
    assert.deepEqual(
      (await search(simulator, { recommended: { eq: true } })).map((row) => row['recommended']),
      [true, true, true],
    );
  });

  it('are searched by the documented fields and no other', async () => {
    const simulator = await simulators.start();
    const fields =
      'creator_id created_at count_created default_tag docker_login_repo id image jup_direct hash_id name recent_create_date recommended_disk_space recommended ssh_direct tag use_ssh';
    for (const field of fields.split(' ')) {
      await search(simulator, {
        [field]: { neq: field.includes('direct') || field === 'use_ssh' ? false : 0 },
      }).catch(async () => search(simulator, { [field]: { neq: 'x' } }));
    }
    const wrong: unknown[] = [
      { readme: { eq: 'x' } },
      { constructor: { eq: 'x' } },
      { id: { like: 1 } },
      { id: 7 },
      { id: { eq: {} } },
      [],
    ];
    for (const filters of wrong) {
      const query = encodeURIComponent(JSON.stringify(filters));
      const answer = await simulator.call('GET', `${address}?select_filters=${query}`);
      assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_args'], JSON.stringify(filters));
    }
    assert.equal((await simulator.call('GET', `${address}?select_filters=%7B`)).status, 400);
  });

  it('have the requested columns', async () => {
    const simulator = await simulators.start();
    const whole = await search(simulator, {}, `&select_cols=${encodeURIComponent('["*"]')}`);
    assert.ok(Object.keys(whole[0] ?? {}).length > 20);
    const few = await search(simulator, {}, `&select_cols=${encodeURIComponent('["name","image"]')}`);
    assert.deepEqual(Object.keys(few[0] ?? {}).sort(), ['hash_id', 'id', 'image', 'name']);
    assert.equal((await simulator.call('GET', `${address}?select_cols=name`)).status, 400);
  });

  it('fit the schema of the client, also with the documented fields alone', async () => {
    for (const minimalRecords of [false, true]) {
      const simulator = await simulators.start({ minimalRecords });
      for (const row of await search(simulator, {})) {
        assert.ok(template.safeParse(row).success);
        assert.equal('creator_id' in row, !minimalRecords);
      }
    }
  });

  it('keep private ones, user names and passwords from others', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', address, {
      ...required,
      name: 'mine',
      image: 'a/b',
      docker_login_user: 'ada',
      docker_login_pass: 'planted-password',
      private: true,
    });
    assert.equal(made.json.template.docker_login_user, 'ada');
    assert.equal(made.text.includes('planted-password'), false);
    const key = await otherKey(simulator);
    assert.deepEqual(await search(simulator, { name: { eq: 'mine' } }, '', key), []);
    await simulator.call('PUT', address, { hash_id: made.json.template.hash_id, private: false });
    const [seen] = await search(simulator, { name: { eq: 'mine' } }, '', key);
    assert.equal(seen?.['docker_login_user'], undefined);
    const rented = simulator.world.ports.templates?.byHash(seen?.hash_id ?? '', 1);
    assert.equal(rented?.dockerLoginPass, 'planted-password', 'it carries over to the instance');
  });

  it('change their hash with every edit, and are edited by the hash of now alone', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', address, { ...required, name: 'one', image: 'a/b' });
    const { id, hash_id: first } = made.json.template as Row;
    assert.equal(made.json.msg, `Template Created Successfully! New Template ID: ${id}`);
    const second = await simulator.call('PUT', address, { hash_id: first, name: 'two' });
    const third = await simulator.call('PUT', address, {
      hash_id: second.json.template.hash_id,
      name: 'one',
    });
    const hashes = [first, second.json.template.hash_id, third.json.template.hash_id];
    assert.equal(new Set(hashes).size, 3, 'also when the content is what it was');
    for (const old of hashes.slice(0, 2)) {
      const refused = await simulator.call('PUT', address, { hash_id: old, name: 'late' });
      assert.deepEqual([refused.status, refused.json.error], [404, 'not_found']);
    }
    assert.equal((await search(simulator, { id: { eq: id } }))[0]?.name, 'one');
  });

  it('keep what an edit does not name, and accept null where null is a value', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', address, {
      ...required,
      name: 'one',
      image: 'a/b',
      env: '-e A=1',
      jupyter_dir: '/work',
      recommended_disk_space: '16',
      extra_filters: '{"gpu_ram":{"gte":24000}}',
    });
    const edited = await simulator.call('PUT', address, {
      hash_id: made.json.template.hash_id,
      env: null,
      jupyter_dir: null,
      tag: 'v2',
    });
    const row = edited.json.template as Row;
    assert.deepEqual(
      [row['env'], row['jupyter_dir'], row['tag'], row['recommended_disk_space'], row['extra_filters']],
      ['-e A=1', null, 'v2', 16, { gpu_ram: { gte: 24000 } }],
    );
  });

  it('are refused when a value is impossible', async () => {
    const simulator = await simulators.start();
    const base = { ...required, name: 'x', image: 'a/b' };
    const wrong: unknown[] = [
      { ...required, image: 'a/b' },
      { ...required, name: 'x' },
      { ...base, runtype: 'sshh' },
      { ...base, recommended_disk_space: 0 },
      { ...base, recommended_disk_space: 'much' },
      { ...base, extra_filters: '[' },
      { ...base, extra_filters: [] },
      { ...base, private: 'perhaps' },
      [],
    ];
    for (const body of wrong) {
      const answer = await simulator.call('POST', address, body);
      assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_args'], JSON.stringify(body));
    }
  });

  it('are deleted by their number, by their hash too, and by their owner alone', async () => {
    const simulator = await simulators.start();
    const make = async () =>
      (await simulator.call('POST', address, { ...required, name: 'x', image: 'a/b', private: false })).json
        .template as Row;
    const one = await make();
    const stranger = await otherKey(simulator);
    const refused = await simulator.call('DELETE', address, { template_id: one.id }, stranger);
    assert.equal(refused.status, 403);
    const edit = await simulator.call('PUT', address, { hash_id: one.hash_id, name: 'y' }, stranger);
    assert.equal(edit.status, 403);
    assert.equal((await simulator.call('DELETE', address, { template_id: one.id })).json.success, true);
    assert.equal((await simulator.call('DELETE', address, { template_id: one.id })).status, 404);
    const two = await make();
    assert.equal((await simulator.call('DELETE', address, { hash_id: two.hash_id })).json.success, true);
    assert.equal((await simulator.call('DELETE', address, {})).status, 400);
    assert.equal((await simulator.call('PUT', address, { name: 'x' })).status, 400);
  });

  it('accept the shapes of the public command-line client', async () => {
    const simulator = await simulators.start();
    const created = await simulator.call('POST', '/api/v0/template', {
      name: 'cli',
      image: 'a/b',
      tag: null,
      env: null,
      docker_login_repo: null,
      readme_visible: true,
      recommended_disk_space: '16',
      runtype: 'ssh',
    });
    assert.equal(created.status, 200);
    const updated = await simulator.call('PUT', '/api/v0/template', {
      hash_id: created.json.template.hash_id,
      name: 'cli',
      image: 'a/b',
      env: null,
      private: false,
      jup_direct: false,
      extra_filters: {},
    });
    assert.equal(updated.json.template.tag, 'latest');
  });

  it('count what is rented from them', async () => {
    const simulator = await simulators.start();
    const [row] = await search(simulator, { name: { eq: 'Fine-tuning' } });
    simulator.world.ports.templates?.rented?.(row?.id ?? 0);
    const [after] = await search(simulator, { name: { eq: 'Fine-tuning' } });
    assert.ok(row && after);
    assert.equal(after['count_created'], Number(row['count_created']) + 1);
    assert.ok(Number(after['recent_create_date']) > 0);
  });
});
