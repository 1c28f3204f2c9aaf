import assert from 'node:assert/strict';
import { RefusedError } from '../../src/api/errors';
import type { Charge } from '../../src/model/accounts/charge';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

const address = '/api/v0/charges/';
const lastMonth = (simulator: TestSimulator) => {
  const to = Math.floor(simulator.world.now());
  return { from: to - 31 * 86_400, to };
};

describeFailures({
  name: 'charges.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  prepare: (simulator) => Promise.resolve(lastMonth(simulator).to),
  call: (client, to, options) => client.charges.list({ from: to - 31 * 86_400, to }, options),
  succeeds: (result, simulator, to) => {
    const { items, isComplete, skipped } = result as {
      items: Charge[];
      isComplete: boolean;
      skipped: number;
    };
    assert.deepEqual([items.length, isComplete, skipped], [10, true, 0]);
    const starts = items.map((row) => row.start ?? 0);
    assert.deepEqual(
      starts,
      [...starts].sort((a, b) => b - a),
      'newest first',
    );
    for (const row of items) {
      assert.equal(
        row.amount,
        row.items.reduce((sum, item) => sum + item.amount, 0),
      );
    }
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, {
      select_filters: JSON.stringify({ day: { gte: to - 31 * 86_400, lte: to } }),
      format: 'table',
      latest_first: 'true',
      limit: '100',
    });
  },
  refusals: [refused(400, 'invalid_token', /changed while it was read/, 'retry')],
});

describe('charges', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('are read page after page', async () => {
    const { simulator, client } = await clients.start();
    const span = lastMonth(simulator);
    const whole = await client.charges.list(span);
    const filters = encodeURIComponent(JSON.stringify({ day: { gte: span.from, lte: span.to } }));
    const page = await simulator.call(
      'GET',
      `${address}?select_filters=${filters}&limit=4&latest_first=true`,
    );
    assert.deepEqual([page.json.count, page.json.total], [4, 10]);
    simulator.fail({ kind: 'answer', path: address, body: page.json });
    const since = simulator.received().length;
    const pieced = await client.charges.list(span);
    assert.equal(simulator.received().length - since, 2);
    assert.deepEqual(pieced, whole);
  });

  it('are there for volumes, also once these are deleted, and add up to what was paid', async () => {
    const { simulator, client } = await clients.start();
    const { items: offers } = await client.volumes.search({ leastSizeGb: 100, limit: 1 });
    const [account] = simulator.world.accounts;
    assert.ok(account);
    const id =
      (await client.volumes.create({ offerId: offers[0]?.id ?? 0, sizeGb: 100, name: 'runs' })).id ?? 0;
    const spentBefore = account.spent;
    simulator.advance(2 * 86_400);
    const ofVolume = async () => {
      const { items } = await client.charges.list(lastMonth(simulator));
      return items.filter(({ source }) => source === `volume-${id}`);
    };
    const charges = await ofVolume();
    assert.deepEqual(
      [...new Set(charges.map(({ type, label }) => `${type} ${String(label)}`))],
      ['volume runs'],
    );
    assert.ok(charges.length >= 2, 'one a day');
    assert.ok(charges.every(({ items }) => items.length === 1 && items[0]?.type === 'disk'));
    const sum = charges.reduce((total, { amount }) => total + amount, 0) / 1e6;
    assert.ok(sum > 0 && Math.abs(sum - (account.spent - spentBefore)) < 1e-5, String(sum));
    await client.volumes.remove(id);
    assert.equal((await ofVolume()).length, charges.length);
  });

  it('have the label of their instance where the service names it', async () => {
    const { simulator, client } = await clients.start();
    const labelled = (metadata: unknown) => ({ amount: 1, type: 'instance', metadata });
    const metadata = [
      { label: 'trainer' },
      { label: '' },
      { label: 7 },
      { other: 'x' },
      null,
      'trainer',
      undefined,
    ];
    const body = { success: true, results: metadata.map(labelled), next_token: null };
    simulator.fail({ kind: 'answer', path: address, body });
    const { items } = await client.charges.list(lastMonth(simulator));
    assert.deepEqual(
      items.map(({ label }) => label),
      ['trainer', ...Array<undefined>(6).fill(undefined)],
    );
  });

  it('keep what they cost in all where the service leaves out the amount of an item', async () => {
    const { simulator, client } = await clients.start();
    const gpu = { type: 'gpu', amount: 2 };
    const results = [
      [gpu, { type: 'disk' }],
      [gpu, { type: 'disk', amount: null }, { type: 'bwd' }],
      [{ ...gpu, amount: 3 }, { type: 'disk' }],
      [{ type: 'disk', amount: 'much' }],
    ].map((items) => ({ amount: 3, type: 'instance', items }));
    simulator.fail({ kind: 'answer', path: address, body: { success: true, results, next_token: null } });
    const { items } = await client.charges.list(lastMonth(simulator));
    assert.deepEqual(
      items.map((row) => row.items.map((item) => [item.type, item.amount / 1e6])),
      [
        [
          ['gpu', 2],
          ['disk', 1],
        ],
        [
          ['gpu', 2],
          ['', 1],
        ],
        [['gpu', 3]],
        [['disk', 3]],
      ],
    );
  });

  it('report if they are incomplete', async () => {
    const { simulator, client } = await clients.start();
    const body = {
      success: true,
      results: [{ amount: 1, type: 'instance' }, { type: 'no amount' }],
      next_token: 'x',
    };
    simulator.fail({ kind: 'answer', path: address, body, times: 0 });
    const { items, skipped, isComplete } = await client.charges.list(lastMonth(simulator));
    assert.deepEqual([items.length, skipped, isComplete], [2, 2, false]);
  });

  it('need both bounds and a page token that was given out', async () => {
    const simulator = await simulators.start();
    const noBounds = await simulator.call('GET', `${address}?select_filters={"day":{"gte":1}}`);
    assert.deepEqual([noBounds.status, noBounds.json.error], [400, undefined]);
    const filters = encodeURIComponent('{"day":{"gte":1,"lte":2}}');
    const wrong = await simulator.call('GET', `${address}?select_filters=${filters}&after_token=zzz`);
    assert.deepEqual([wrong.status, wrong.json.error], [400, 'invalid_token']);
    const limit = await simulator.call('GET', `${address}?select_filters=${filters}&limit=0`);
    assert.equal(limit.json.error, 'invalid_args');
    const noJson = await simulator.call('GET', `${address}?select_filters=nonsense`);
    assert.equal(noJson.status, 400);
    await assert.rejects(
      clients.connect(simulator).client.charges.list({ from: Number.NaN, to: 1 }),
      RefusedError,
    );
  });

  it('arrive as a tree with the items beneath', async () => {
    const simulator = await simulators.start();
    const { from, to } = lastMonth(simulator);
    const filters = encodeURIComponent(JSON.stringify({ day: { gte: from, lte: to } }));
    const tree = await simulator.call('GET', `${address}?select_filters=${filters}&format=tree`);
    assert.equal(tree.json.results[0].items[0].source, tree.json.results[0].source);
  });
});
