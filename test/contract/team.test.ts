import assert from 'node:assert/strict';
import type { TeamBalance, TeamMember } from '../../src/model/accounts/team';
import { toDollars } from '../../src/model/money';
import { useClients } from '../support/apiClient';
import { describeFailures } from '../support/failureMatrix';

const [members, balances] = ['/api/v0/team/members/', '/api/v0/team/balances'];
const none = { items: [], skipped: 0 };
// An account without a team.
const differs = { '404': { value: none, asked: 1 } };

describeFailures({
  name: 'team.members',
  method: 'GET',
  path: members,
  repeat: 'read',
  call: (client, _, options) => client.team.members(options),
  succeeds: (result) => {
    const { items } = result as { items: TeamMember[] };
    assert.deepEqual(
      items.slice(1).map(({ name, email, roles }) => [name, email, roles.join()]),
      [
        ['Ben Okafor', 'ben@example.org', 'ML engineer'],
        ['cy', 'cy@example.org', 'ML engineer,Finance & audit'],
      ],
    );
    assert.deepEqual(items[0]?.roles, ['team_owner']);
  },
  differs,
});

describeFailures({
  name: 'team.balances',
  method: 'GET',
  path: balances,
  repeat: 'read',
  call: (client, _, options) => client.team.balances(options),
  succeeds: (result, simulator) => {
    const { items } = result as { items: TeamBalance[] };
    const { credit = 0 } = simulator.world.accounts[0] ?? {};
    assert.deepEqual(
      items.map((team) => [team.id, team.name, toDollars(team.balance ?? (-1 as never))]),
      [[88, 'Lab', credit]],
    );
  },
  differs,
});

describe('a team', () => {
  const clients = useClients();

  it('is understood in the form that other clients read, and with odd members', async () => {
    const { simulator, client } = await clients.start();
    const rows = [
      { id: '5', email: 'a@example.org', role: 'reader' },
      { id: 6, fullname: '', username: null, roles: ['x', 7, null] },
      { id: 'none' },
    ];
    simulator.fail({ kind: 'answer', path: members, body: { success: true, members: rows } });
    assert.deepEqual(await client.team.members(), {
      items: [
        { id: 5, email: 'a@example.org', roles: ['reader'] },
        { id: 6, roles: ['x'] },
      ],
      skipped: 1,
    });
  });

  it('has an unknown balance, not none, where the service states no amount', async () => {
    const { simulator, client } = await clients.start();
    const rows = [
      { team_id: 9, team_name: 'x', balance: 'much' },
      { team_id: 10, balance: -0.5 },
    ];
    simulator.fail({ kind: 'answer', path: balances, body: { success: true, balances: rows } });
    assert.deepEqual((await client.team.balances()).items, [
      { id: 9, name: 'x' },
      { id: 10, balance: -500_000 },
    ]);
  });

  it('needs a permission of the key for its members, and another one for its balances', async () => {
    const { simulator, client } = await clients.start();
    assert.equal((await client.team.members()).items.length, 3);
    const { json } = await simulator.call('POST', '/__sim/keys/', {
      permissions: { api: { user_read: {} } },
    });
    const limited = clients.connect(simulator, { key: String(json.key) }).client;
    await assert.rejects(limited.team.members(), /not allowed.*team_read/s);
    assert.equal((await limited.team.balances()).items.length, 1);
  });
});
