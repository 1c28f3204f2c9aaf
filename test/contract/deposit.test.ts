import assert from 'node:assert/strict';
import { NotFoundError, NotUnderstoodError } from '../../src/api/errors';
import type { Deposit } from '../../src/model/instances/deposit';
import { toDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';
import { rentOne } from '../support/rentedInstance';

const path = '/api/v0/instances/balance/{id}/';

describeFailures({
  name: 'instances.deposit',
  method: 'GET',
  path,
  repeat: 'read',
  prepare: (_, client) => rentOne(client),
  call: (client, id, options) => client.instances.deposit(id, options),
  succeeds: (result, simulator, id) => {
    assert.deepEqual(result, { refundable: 0, discount: 0, months: 0 });
    assert.equal(simulator.received('GET').at(-1)?.path, `/api/v0/instances/balance/${id}/`);
  },
  refusals: [
    {
      status: 404,
      code: 'no_such_instance',
      error: NotFoundError,
      message: /no longer exists/,
      nextStep: 'retry',
    },
  ],
});

describe('a deposit', () => {
  const clients = useClients();

  it('is read with the months of its discount, and never as nothing without an amount', async () => {
    const { simulator, client } = await clients.start();
    const answer = (body: object) =>
      simulator.fail({ kind: 'answer', path, body: { success: true, ...body } });
    answer({ refundable_deposit: '118.4', total_discount: 9.1, discount_months: 1.7 });
    const { refundable, discount, months }: Deposit = await client.instances.deposit(7);
    assert.deepEqual([toDollars(refundable), toDollars(discount ?? refundable), months], [118.4, 9.1, 1.7]);
    answer({ refundable_deposit: 5, discount_months: -1 });
    assert.deepEqual(await client.instances.deposit(7), { refundable: 5_000_000 });
    answer({ total_discount: 9 });
    await assert.rejects(client.instances.deposit(7), NotUnderstoodError);
  });

  it('of the instance of another account is not shown', async () => {
    const { simulator, client } = await clients.start();
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    const other = clients.connect(simulator, { key: String(json.key) }).client;
    const id = await rentOne(client);
    await assert.rejects(other.instances.deposit(id), NotFoundError);
  });
});
