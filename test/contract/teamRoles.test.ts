import assert from 'node:assert/strict';
import { NotFoundError, NotSentError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';

describeFailures({
  name: 'teamRoles.get',
  method: 'GET',
  path: '/api/v0/team/roles/{id}/',
  repeat: 'read',
  call: (client, _, options) => client.teamRoles.get('Finance & audit', options),
  succeeds: (result, simulator) => {
    assert.deepEqual(result, { id: 3, name: 'Finance & audit', permissions: ['billing_read', 'user_read'] });
    assert.equal(simulator.received('GET').at(-1)?.path, '/api/v0/team/roles/Finance%20%26%20audit/');
  },
  refusals: [
    {
      status: 404,
      code: 'not_found',
      msg: 'Role not found',
      error: NotFoundError,
      message: /does not know/,
      nextStep: 'retry',
    },
  ],
});

describeFailures({
  name: 'teamRoles.list',
  method: 'GET',
  path: '/api/v0/team/roles-full/',
  repeat: 'read',
  call: (client, _, options) => client.teamRoles.list(options),
  succeeds: (result) => {
    const { items } = result as { items: { name: string }[] };
    assert.deepEqual(
      items.map((role) => role.name),
      ['team_owner', 'ML engineer', 'Finance & audit'],
    );
  },
});

describe('team roles', () => {
  const clients = useClients();

  it('are not found by an unknown name, and not requested by an invalid one', async () => {
    const { simulator, client } = await clients.start();
    await assert.rejects(client.teamRoles.get('pirate/../captain'), NotFoundError);
    assert.equal(simulator.received().length, 1);
    await assert.rejects(client.teamRoles.get('..'), NotSentError);
    assert.equal(simulator.received().length, 1);
  });

  it('may have permissions as an object', async () => {
    const { simulator, client } = await clients.start();
    const body = { id: 9, name: 'x', permissions: { api: { misc: {}, user_read: {} } } };
    simulator.fail({ kind: 'answer', path: '/api/v0/team/roles/{id}/', body });
    assert.deepEqual((await client.teamRoles.get('x')).permissions, ['misc', 'user_read']);
    simulator.fail({ kind: 'answer', path: '/api/v0/team/roles-full/', body: { roles: [body] } });
    assert.equal((await client.teamRoles.list()).items.length, 1);
  });
});
