import assert from 'node:assert/strict';
import { RefusedError } from '../../src/api/errors';
import type { Invoice } from '../../src/model/accounts/invoice';
import { toDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures, refused } from '../support/failureMatrix';
import type { TestSimulator } from '../support/startSimulator';

const address = '/api/v1/invoices/';
const lastMonth = (simulator: TestSimulator) => {
  const to = Math.floor(simulator.world.now());
  return { from: to - 31 * 86_400, to };
};

describeFailures({
  name: 'invoices.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  prepare: (simulator) => Promise.resolve(lastMonth(simulator).to),
  call: (client, to, options) => client.invoices.list({ from: to - 31 * 86_400, to }, options),
  succeeds: (result, simulator, to) => {
    const { items, skipped, isComplete } = result as {
      items: Invoice[];
      skipped: number;
      isComplete: boolean;
    };
    assert.deepEqual([skipped, isComplete], [0, true]);
    assert.deepEqual(
      items.map(({ type, amount, isPaid, source, number }) => [
        type,
        toDollars(amount),
        isPaid,
        source,
        number,
      ]),
      [
        ['credit', 20, false, 'coinbase', 3304],
        ['refund', -8, true, 'stripe_payments', 3303],
        ['credit', 5, true, 'transfer', 3302],
        ['credit', 50, true, 'stripe_payments', 3301],
      ],
    );
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, {
      select_filters: JSON.stringify({ when: { gte: to - 31 * 86_400, lte: to } }),
      latest_first: 'true',
      limit: '100',
    });
  },
  refusals: [refused(400, 'invalid_token', /changed while it was read/, 'retry')],
});

describe('invoices', () => {
  const clients = useClients();

  it('are read page after page', async () => {
    const { simulator, client } = await clients.start();
    const span = lastMonth(simulator);
    const whole = await client.invoices.list(span);
    const filters = encodeURIComponent(JSON.stringify({ when: { gte: span.from, lte: span.to } }));
    const page = await simulator.call('GET', `${address}?select_filters=${filters}&limit=3`);
    simulator.fail({ kind: 'answer', path: address, body: page.json });
    assert.deepEqual(await client.invoices.list(span), whole);
  });

  it('are refused with a status of success where the range is missing', async () => {
    const { simulator, client } = await clients.start();
    const { status, json } = await simulator.call('GET', address);
    assert.deepEqual([status, json.success], [200, false]);
    await assert.rejects(client.invoices.list({ from: Number.NaN, to: 1 }), RefusedError);
  });

  it('are understood in the flat form, and never as nothing without an amount', async () => {
    const { simulator, client } = await clients.start();
    const results = [
      { id: 9, amount_cents: -2500, paid_on: 1790000000, service: 'stripe_payments' },
      { id: 10, amount: 'much' },
      { id: 11, amount: 1e12 },
      { amount: '-3.5', start: '1790000000', end: null, type: null, metadata: 'none' },
    ];
    simulator.fail({ kind: 'answer', path: address, body: { success: true, results, next_token: null } });
    const { items, skipped } = await client.invoices.list(lastMonth(simulator));
    assert.equal(skipped, 2);
    assert.deepEqual(
      items.map(({ amount, ...rest }) => ({ ...rest, amount: toDollars(amount) })),
      [
        { number: 9, at: 1790000000, isPaid: true, type: '', source: 'stripe_payments', amount: 25 },
        { at: 1790000000, isPaid: false, type: '', amount: 3.5 },
      ],
    );
  });
});
