import assert from 'node:assert/strict';
import { BodyReader } from '../../../src/simulator/body';
import { ServiceError } from '../../../src/simulator/route';
import { rentRunning } from '../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../support/startSimulator';

describe('What the simulator is sent', () => {
  const simulators = useSimulators();

  const refusal = async (answer: ReturnType<TestSimulator['call']>) => {
    const { status, json } = await answer;
    return `${status} ${json.error ?? json.msg}`;
  };

  it('is read by its kind, numbers and flags as text too, and anything else is refused', () => {
    const body = BodyReader.of({
      ...{ text: 'a', number: 3, numeric: '4', empty: '', flag: 'true', list: [1, '2'], nothing: null },
      ...{ object: { a: 1 }, fraction: 1.5, wrongList: [1, 'x'], noList: 7, odd: [] },
    });
    assert.deepEqual([body.text('text'), body.text('number'), body.text('nothing')], ['a', '3', undefined]);
    assert.deepEqual(
      [body.number('numeric'), body.number('empty'), body.integer('number')],
      [4, undefined, 3],
    );
    assert.deepEqual([body.flag('flag'), body.flag('none')], [true, undefined]);
    assert.deepEqual(
      [body.ids('list'), body.ids('nothing'), body.object('nothing')],
      [[1, 2], undefined, undefined],
    );
    assert.deepEqual(body.object('object'), { a: 1 });
    const wrong = [
      () => body.text('odd'),
      () => body.number('text'),
      () => body.integer('fraction'),
      () => body.flag('text'),
      () => body.object('text'),
      () => body.ids('wrongList'),
      () => body.ids('noList'),
    ];
    for (const read of wrong) {
      assert.throws(read, (error) => error instanceof ServiceError && error.status === 400);
    }
  });

  it('makes no key with a name, permissions or addresses that are none', async () => {
    const simulator = await simulators.start();
    const permissions = { api: { misc: {} } };
    const create = (body: unknown) => refusal(simulator.call('POST', '/api/v0/auth/apikeys/', body));
    assert.equal(await create({ name: 'x' }), '400 missing_permissions');
    assert.equal(await create({ permissions: 'all' }), '400 invalid_permissions');
    assert.equal(await create({ name: 'x'.repeat(2_000), permissions }), '400 invalid_args');
    for (const key_params of ['{"ip_whitelist":', { ip_whitelist: 'x' }, { ip_whitelist: ['x'] }, 7]) {
      assert.equal(await create({ permissions, key_params }), '400 invalid_args', JSON.stringify(key_params));
    }
    // An object, the same as a JSON text, or nothing in either.
    for (const key_params of [
      { ip_whitelist: ['127.0.0.1'] },
      '{"ip_whitelist":["127.0.0.1"]}',
      '',
      {},
      null,
    ]) {
      assert.equal(await create({ permissions, key_params }), '200 undefined', JSON.stringify(key_params));
    }
  });

  it('deletes no key of another account, and lists keys as the document has them', async () => {
    const simulator = await simulators.start({ minimalRecords: true });
    const other = await simulator.call('POST', '/__sim/accounts/', { credit: 5 });
    const path = `/api/v0/auth/apikeys/${String(other.json.key_id)}/`;
    assert.equal((await simulator.call('DELETE', path)).status, 403);
    assert.equal((await simulator.call('DELETE', '/api/v0/auth/apikeys/999999/')).status, 404);
    const { json } = await simulator.call('GET', '/api/v0/auth/apikeys/');
    const [row] = (Array.isArray(json) ? json : (json.apikeys ?? json.api_keys)) as object[];
    assert.deepEqual(Object.keys(row ?? {}), ['id', 'name', 'permissions', 'key_params']);
  });

  it('is let through by constraints on the path and the body that hold, and by no others', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator);
    const logs = async (constraints: unknown, body: unknown = {}) => {
      const scope = {
        permissions: { api: { instance_read: { 'api.instance.request_logs': { constraints } } } },
      };
      const { json } = await simulator.call('POST', '/__sim/keys/', scope);
      const path = `/api/v0/instances/request_logs/${id}/`;
      return (await simulator.call('PUT', path, body, String(json.key))).status;
    };
    for (const good of [
      null,
      {},
      { id: {} },
      { id: { eq: String(id) } },
      { tail: { eq: 'all' } },
      { tail: { lte: 9 } },
    ]) {
      const tail = JSON.stringify(good).includes('all') ? 'all' : 9;
      const status = await logs(good, { tail });
      // The scope lets it through; what the endpoint makes of a strange tail is another matter.
      assert.notEqual(status, 403, JSON.stringify(good));
    }
    for (const bad of [
      'any',
      { id: 7 },
      { id: { near: id } },
      { id: { gte: 'x' } },
      { tail: { lte: 9 } },
      { tail: { eq: 'all' } },
    ]) {
      assert.equal(await logs(bad), 403, JSON.stringify(bad));
    }
  });

  it('finds offers by lists, by versions and by fields that a record lacks', async () => {
    const simulator = await simulators.start();
    const count = async (filters: Record<string, unknown>) => {
      const { status, json } = await simulator.call('POST', '/api/v0/bundles/', { ...filters, limit: 500 });
      return status === 200 ? (json.offers as unknown[]).length : status;
    };
    const all = await count({});
    assert.ok(all > 20);
    const [one] = (await simulator.call('POST', '/api/v0/bundles/', { limit: 1 })).json.offers;
    assert.equal(
      await count({ gpu_name: { in: one.gpu_name } }),
      await count({ gpu_name: { eq: one.gpu_name } }),
    );
    assert.equal(await count({ gpu_name: { in: [7] } }), 400);
    assert.equal(await count({ driver_version: { gte: '1.0' } }), all);
    assert.equal(await count({ driver_version: { gte: 1 } }), all);
    assert.equal(await count({ driver_version: { gte: {} } }), 400);
    assert.equal(await count({ geolocation: { in: 7 } }), 400);
    assert.equal(await count({ cpu_name: { eq: 7 } }), 0);
    assert.equal(await count({ cpu_name: { eq: [] } }), 400);
    assert.equal(await count({ has_avx: { gte: false } }), all);
    assert.equal(await count({ num_gpus: { eq: 'many' } }), 400);
    assert.equal(await count({ num_gpus: { about: 1 } }), 400);
    assert.equal(await count({ num_gpus: null }), all);
  });

  it('finds templates by lists and flags, and refuses columns and values of another type', async () => {
    const simulator = await simulators.start();
    const search = async (select_filters: unknown, more: Record<string, string> = {}) => {
      const query = new URLSearchParams({ select_filters: JSON.stringify(select_filters), ...more });
      const { status, json } = await simulator.call('GET', `/api/v0/template/?${query.toString()}`);
      return status === 200 ? (json.templates as { id: number; name?: string }[]) : status;
    };
    const all = await search({});
    assert.ok(Array.isArray(all) && all[0]);
    const { id } = all[0];
    for (const filter of [{ id: { in: id } }, { id: { in: [String(id)] } }, { id: { eq: id } }]) {
      assert.deepEqual(await search(filter), [all[0]]);
    }
    const recommended = await search({ recommended: { eq: 'true' } });
    assert.deepEqual(recommended, await search({ recommended: { neq: false } }));
    assert.deepEqual(await search({ id: { eq: id } }, { select_cols: '["*"]' }), [all[0]]);
    const [named] = (await search({ id: { eq: id } }, { select_cols: '["name"]' })) as object[];
    assert.deepEqual(Object.keys(named ?? {}).sort(), ['hash_id', 'id', 'name']);
    assert.equal(await search({}, { select_cols: '"name"' }), 400);
    assert.equal(await search({}, { select_cols: '[7]' }), 400);
    assert.equal(await search({ id: { eq: 'x' } }), 400);
    assert.equal(await search({ recommended: { eq: 'perhaps' } }), 400);
    assert.equal(await search({ name: { eq: {} } }), 400);
    assert.equal(await search({ name: 7 }), 400);
  });

  it('buys no volume from an offer that is none, and sorts by nothing that is no pair', async () => {
    const simulator = await simulators.start();
    const buy = (body: unknown) => refusal(simulator.call('PUT', '/api/v0/volumes/', body));
    assert.equal(await buy({ size: 5 }), '404 no_such_ask');
    assert.equal(await buy({ id: 1, size: 5 }), '404 no_such_ask');
    const search = async (order: unknown) =>
      (await simulator.call('POST', '/api/v0/volumes/search/', { order })).status;
    assert.deepEqual(
      [await search(null), await search([['storage_cost', 'desc']]), await search('x')],
      [200, 200, 200],
    );
    for (const wrong of [['storage_cost'], [['storage_cost', 'up']], [[7, 'asc']]]) {
      assert.equal(await search(wrong), 400, JSON.stringify(wrong));
    }
    assert.equal((await simulator.call('DELETE', '/api/v0/volumes/?id=x')).status, 400);
    assert.equal((await simulator.call('DELETE', '/api/v0/volumes/', {})).status, 400);
  });

  it('changes one thing of an instance at a time when a test orders that', async () => {
    const simulator = await simulators.start({ fakeClock: true });
    const id = await rentRunning(simulator);
    const path = `/__sim/instances/${id}/`;
    const order = async (body: unknown) => {
      const { json } = await simulator.call('PUT', path, body);
      return json.instance as Record<string, unknown>;
    };
    assert.equal((await order({ gpu_util: 37 }))['gpuUse'], 37);
    assert.equal((await order({ end_date: 4_000_000_000 }))['hostEndsAt'], 4_000_000_000);
    const answer = await order({ status_msg: 'The host says hello' });
    assert.deepEqual([answer['statusMessage'], answer['actualStatus']], ['The host says hello', 'running']);
    const failed = await order({ actual_status: 'offline' });
    assert.deepEqual(
      [failed['actualStatus'], failed['statusMessage']],
      ['offline', 'The host reports offline.\n'],
    );
  });
});
