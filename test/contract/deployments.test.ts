import assert from 'node:assert/strict';
import { NotFoundError } from '../../src/api/errors';
import type { Deployment } from '../../src/model/deployment';
import { useClients } from '../support/apiClient';
import { describeFailures, type Refusal } from '../support/failureMatrix';
import { useSimulators } from '../support/startSimulator';

const unknown: Refusal = {
  status: 404,
  code: 'not_found',
  error: NotFoundError,
  message: /does not know/,
  nextStep: 'retry',
};
const first = () => Promise.resolve(644);

describeFailures({
  name: 'deployments.list',
  method: 'GET',
  path: '/api/v0/deployments/',
  repeat: 'read',
  call: (client, _, options) => client.deployments.list(options),
  succeeds: (result) => {
    const { items } = result as { items: Deployment[] };
    assert.deepEqual(
      items.map((each) => [each.name, each.endpointState]),
      [
        ['chat-qwen', 'active'],
        ['pictures', 'stopped'],
      ],
    );
  },
});

describeFailures({
  name: 'deployments.get',
  method: 'GET',
  path: '/api/v0/deployment/{id}/',
  repeat: 'read',
  prepare: first,
  call: (client, id, options) => client.deployments.get(id, options),
  succeeds: (result) => {
    assert.equal((result as Deployment).name, 'chat-qwen');
  },
  refusals: [unknown],
});

for (const verb of ['stop', 'start'] as const) {
  describeFailures({
    name: `deployments.${verb}`,
    method: 'POST',
    path: `/api/v0/deployment/{id}/${verb}/`,
    repeat: 'write',
    prepare: first,
    call: (client, id, options) => client.deployments[verb](id, options),
    succeeds: (result, simulator, id) => {
      assert.deepEqual(result, { endpointState: verb === 'stop' ? 'stopped' : 'active' });
      const sent = simulator.received('POST').at(-1);
      assert.deepEqual([sent?.path, sent?.body], [`/api/v0/deployment/${id}/${verb}/`, '']);
    },
    refusals: [unknown],
  });
}

describe('deployments', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('stop and start again and stay in the list', async () => {
    const { client } = await clients.start();
    await client.deployments.stop(644);
    assert.equal((await client.deployments.get(644)).endpointState, 'stopped');
    await client.deployments.start(644);
    const { items } = await client.deployments.list();
    assert.equal(items.find((each) => each.id === 644)?.endpointState, 'active');
    await assert.rejects(client.deployments.stop(1), NotFoundError);
  });

  it('belong to their account', async () => {
    const simulator = await simulators.start();
    const made = await simulator.call('POST', '/__sim/accounts/', {});
    const { client } = clients.connect(simulator, { key: made.json.key });
    assert.deepEqual((await client.deployments.list()).items, []);
    await assert.rejects(client.deployments.get(644), NotFoundError);
  });

  it('are understood with the documented fields alone', async () => {
    const simulator = await simulators.start({ minimalRecords: true });
    const { items } = await clients.connect(simulator).client.deployments.list();
    assert.deepEqual(items[0], { id: 644, endpointState: 'active' });
  });
});
