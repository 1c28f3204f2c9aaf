import assert from 'node:assert/strict';
import { ForbiddenError, GoneError, RentOutcomeUnknownError } from '../../src/api/errors';
import { times } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures, refused, type Expected } from '../support/failureMatrix';
import { anOfferId } from '../support/rentedInstance';

const unknown: Expected = {
  error: RentOutcomeUnknownError,
  message: /may have been rented/,
  nextStep: 'none',
  asked: 1,
};

describeFailures({
  name: 'offers.rent',
  method: 'PUT',
  path: '/api/v0/asks/{id}/',
  repeat: 'write',
  prepare: async (_, client) => (await anOfferId(client)).id,
  call: (client, offerId, options) =>
    client.offers.rent(
      offerId,
      {
        image: 'pytorch/pytorch:latest',
        diskGb: 16,
        label: 'x [gr-0123abcd]',
        runtype: 'ssh_direct',
        env: { A: '1' },
      },
      options,
    ),
  succeeds: (result, simulator, offerId) => {
    const { instanceId, confirmed } = result as { instanceId: number; confirmed: boolean };
    assert.ok(instanceId > 0 && confirmed);
    const sent = simulator.received('PUT', `/api/v0/asks/${offerId}/`).at(-1);
    assert.deepEqual(sent?.body, {
      image: 'pytorch/pytorch:latest',
      disk: 16,
      label: 'x [gr-0123abcd]',
      runtype: 'ssh_direct',
      env: { A: '1' },
      cancel_unavail: true,
    });
    assert.equal(sent.contentType, 'application/json');
  },
  differs: {
    '500 with a page of HTML': unknown,
    'cut-off JSON': unknown,
    'wrong types': unknown,
    'a lost connection before the request took effect': unknown,
    'a lost connection after the request took effect': unknown,
    'no answer in time': unknown,
    cancellation: unknown,
  },
  refusals: [
    {
      status: 410,
      code: 'no_such_ask',
      error: GoneError,
      message: /no longer available. Choose another/,
      nextStep: 'retry',
    },
    {
      status: 404,
      code: 'invalid_args',
      msg: 'error 404/3603: no_such_ask',
      error: GoneError,
      message: /no longer available/,
      nextStep: 'retry',
    },
    refused(400, 'invalid_args', /did not accept the rental/),
    refused(400, 'invalid_price', /bid price/),
    refused(400, 'no_ssh_key_for_vm', /needs an SSH key/, 'addSshKey'),
    refused(400, 'missing_billing', /Add credit/, 'openConsole'),
    { status: 403, error: ForbiddenError, message: /more permissions/, nextStep: 'replaceKey' },
  ],
});

describe('offers.rent', () => {
  const clients = useClients();

  for (const kind of ['dropAfter', 'cutOff', 'html500'] as const) {
    it(`leaves exactly one instance, findable by its label, after ${kind}`, async () => {
      const { simulator, client } = await clients.start();
      const offer = await anOfferId(client);
      simulator.fail({ kind, method: 'PUT', path: '/api/v0/asks/{id}/', times: 0, after: true });
      const label = 'mine [gr-89abcdef]';
      await assert.rejects(
        client.offers.rent(offer.id, { image: 'i', diskGb: 10, label }),
        RentOutcomeUnknownError,
      );
      const { items } = await client.instances.list();
      assert.deepEqual(
        items.map((instance) => instance.label),
        [label],
      );
      assert.equal(simulator.received('PUT', /\/asks\//).length, 1);
    });
  }

  it('sends a bid exactly when it is given, and gets an interruptible instance', async () => {
    const { client } = await clients.start();
    const offer = await anOfferId(client, 'interruptible');
    assert.ok(offer.minBidPerHour);
    const bidPerHour = times(offer.minBidPerHour, 2);
    const { instanceId } = await client.offers.rent(offer.id, { image: 'i', diskGb: 10, bidPerHour });
    const instance = await client.instances.get(instanceId);
    assert.deepEqual([instance?.isInterruptible, instance?.bidPerHour], [true, bidPerHour]);
  });

  it('reports when the offer is gone, and rents nothing', async () => {
    const { client } = await clients.start();
    await assert.rejects(client.offers.rent(999_999_999, { image: 'i' }), GoneError);
    assert.deepEqual((await client.instances.list()).items, []);
  });
});
