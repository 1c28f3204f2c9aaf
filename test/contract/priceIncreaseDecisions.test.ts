import assert from 'node:assert/strict';
import { NotFoundError } from '../../src/api/errors';
import { describeFailures, type MatrixOperation, type Refusal } from '../support/failureMatrix';
import { rentOne } from '../support/rentedInstance';

/** A rise from the price of the rented instance to two dollars. */
const proposed: MatrixOperation['prepare'] = async (simulator, client) => {
  const id = await rentOne(client);
  await simulator.call('POST', '/__sim/price-increases/', { instance_id: id, new_price: 2 });
  const { items } = await client.priceIncreases.list();
  return items[0]?.id ?? 0;
};

const unknown: Refusal = {
  status: 404,
  code: 'not_found',
  error: NotFoundError,
  message: /does not know what was asked for/,
  nextStep: 'retry',
};

describeFailures({
  name: 'priceIncreases.accept',
  method: 'PUT',
  path: '/api/v0/instances/accept-price-increase/',
  repeat: 'write',
  prepare: proposed,
  call: (client, id, options) => client.priceIncreases.accept(id, options),
  succeeds: (_, simulator, id) => {
    const sent = simulator.received('PUT', '/api/v0/instances/accept-price-increase/').at(-1);
    assert.deepEqual(sent?.body, { pending_price_increase_id: id });
    const accountId = simulator.world.keys.find(simulator.apiKey)?.accountId ?? 0;
    assert.deepEqual(
      simulator.world.instancesOf(accountId).map((instance) => instance.rates.gpu),
      [2],
    );
  },
  refusals: [unknown],
});

describeFailures({
  name: 'priceIncreases.reject',
  method: 'PUT',
  path: '/api/v0/instances/reject-price-increase/',
  repeat: 'write',
  prepare: proposed,
  call: (client, id, options) => client.priceIncreases.reject(id, options),
  succeeds: (_, simulator, id) => {
    const sent = simulator.received('PUT', '/api/v0/instances/reject-price-increase/').at(-1);
    assert.deepEqual(sent?.body, { pending_price_increase_id: id });
  },
  refusals: [unknown],
});
