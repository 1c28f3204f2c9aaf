import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { NotFoundError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';
import { rentOne } from '../support/rentedInstance';
import type { TestSimulator } from '../support/startSimulator';

const list = '/api/v0/instances/pending-price-increases/';
describeFailures({
  name: 'priceIncreases.list',
  method: 'GET',
  path: list,
  repeat: 'read',
  call: (client, _, options) => client.priceIncreases.list(options),
  succeeds: (result) => {
    assert.deepEqual(result, { items: [], skipped: 0 });
  },
});

/** A rented machine whose host asks for more; the id of the request. */
async function proposed(simulator: TestSimulator, client: Client): Promise<number> {
  const instanceId = await rentOne(client);
  const { json } = await simulator.call('POST', '/__sim/price-increases/', {
    instance_id: instanceId,
    new_price: 9,
  });
  return Number(json.increase.id);
}

for (const verb of ['accept', 'reject'] as const) {
  describeFailures({
    name: `priceIncreases.${verb}`,
    method: 'PUT',
    path: `/api/v0/instances/${verb}-price-increase/`,
    repeat: 'write',
    prepare: proposed,
    call: (client, id, options) => client.priceIncreases[verb](id, options),
    succeeds: (result) => {
      assert.equal(result, undefined);
    },
  });
}

describe('pending price increases', () => {
  const clients = useClients();

  it('are read in each possible envelope', async () => {
    const { simulator, client } = await clients.start();
    const row = { id: 4, contract_id: 12, old_price: 0.2, new_price: 0.3, expires_at: 99 };
    for (const body of [[row], { results: [row] }, { pending_price_increases: [row] }]) {
      simulator.fail({ kind: 'answer', path: list, body });
      assert.deepEqual((await client.priceIncreases.list()).items, [
        { id: 4, instanceId: 12, currentPrice: 200_000, newPrice: 300_000, deadline: 99 },
      ]);
    }
  });

  it('cost the new price once accepted, and nothing more once rejected', async () => {
    const { simulator, client } = await clients.start();
    for (const verb of ['accept', 'reject'] as const) {
      const id = await proposed(simulator, client);
      const pending = (await client.priceIncreases.list()).items.find((each) => each.id === id);
      assert.ok(pending?.instanceId);
      assert.equal(pending.newPrice, 9_000_000);
      const before = await client.instances.get(pending.instanceId);
      await client.priceIncreases[verb](id);
      assert.equal(
        (await client.priceIncreases.list()).items.some((each) => each.id === id),
        false,
      );
      const after = await client.instances.get(pending.instanceId);
      if (verb === 'accept') {
        assert.ok((after?.totalPerHour ?? 0) >= 9_000_000);
      } else {
        assert.equal(after?.totalPerHour, before?.totalPerHour);
      }
    }
  });

  it('are accepted or rejected by their id', async () => {
    const { simulator, client } = await clients.start();
    for (const verb of ['accept', 'reject'] as const) {
      await assert.rejects(client.priceIncreases[verb](4), NotFoundError);
      const sent = simulator.received('PUT').at(-1);
      assert.deepEqual(
        [sent?.path, sent?.body],
        [`/api/v0/instances/${verb}-price-increase/`, { pending_price_increase_id: 4 }],
      );
    }
  });
});
