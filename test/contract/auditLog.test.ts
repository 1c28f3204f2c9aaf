import assert from 'node:assert/strict';
import type { AuditEntry } from '../../src/model/accounts/auditEntry';
import { useClients } from '../support/apiClient';
import { order } from '../support/everyCall';
import { describeFailures } from '../support/failureMatrix';
import { rentOne } from '../support/rentedInstance';

const address = '/api/v0/audit_logs/';

describeFailures({
  name: 'auditLog.list',
  method: 'GET',
  path: address,
  repeat: 'read',
  prepare: async (simulator) => {
    const { json } = await simulator.call('POST', '/api/v0/secrets/', { key: 'TOKEN', value: 'hidden' });
    assert.equal(json.success, true);
    return 0;
  },
  call: (client, _, options) => client.auditLog.list(options),
  succeeds: (result, simulator) => {
    const { items, skipped } = result as { items: AuditEntry[]; skipped: number };
    assert.deepEqual(
      items.map(({ route, ids }) => [route, ids]),
      [['api.secrets_POST', []]],
    );
    assert.equal(skipped, 0);
    assert.deepEqual(simulator.received('GET', address).at(-1)?.query, {});
  },
});

describe('the audit log', () => {
  const clients = useClients();

  it('has who destroyed an instance: a key of the account or the timetable', async () => {
    const { simulator, client } = await clients.start();
    const id = await rentOne(client);
    await client.instances.stop(id);
    simulator.advance(10);
    await client.instances.destroy(id);
    const { items } = await client.auditLog.list();
    const [key] = (await client.apiKeys.list()).items;
    assert.deepEqual(
      items.map(({ route, state, keyId }) => [route, state, keyId]),
      [
        ['api.instance_DELETE', undefined, key?.id],
        ['api.instance_PUT', 'stopped', key?.id],
        ['api.ask_PUT', undefined, key?.id],
      ],
    );
    assert.deepEqual([items[0]?.ids, items[1]?.ids], [[id], [id]]);
    const other = await rentOne(client);
    const start = Math.ceil(simulator.world.now() / 3600) * 3600;
    const at = new Date(start * 1000);
    await client.timetable.create({
      ...order,
      instanceId: other,
      endpoint: `/api/v0/instances/${other}/`,
      method: 'DELETE',
      body: {},
      startTime: start,
      endTime: start + 60,
      day: at.getUTCDay(),
      hour: at.getUTCHours(),
    });
    simulator.advance(2 * 3600);
    const [last] = (await client.auditLog.list()).items;
    assert.deepEqual([last?.route, last?.ids], ['api.instance_DELETE', [other]]);
    assert.notEqual(last?.keyId, key?.id);
  });

  it('keeps nothing of the arguments but numbers and a state, in any form', async () => {
    const { simulator, client } = await clients.start();
    const secret = 'hunter2-very-secret';
    const row = {
      api_route: 'api.instance_PUT',
      api_key_id: 5,
      ip_address: '203.0.113.9',
      created_at: 1796108414.25,
    };
    const rows = [
      { ...row, args: { id: '7', state: 'stopped', env: { TOKEN: secret }, image_login: secret } },
      {
        ...row,
        args: JSON.stringify({ instance_id: 8, ids: [9, secret, 8.5], label: secret, state: `${secret} x` }),
      },
      { ...row, args: secret, created_at: '2026-12-01T10:00:00' },
      { ...row, args: '['.repeat(9000), created_at: '2026-12-01 10:00:00+00:00' },
      { ...row, args: null, api_route: `api ${secret}`, ip_address: `${secret} `, created_at: 'soon' },
    ];
    for (const body of [rows, { success: true, audit_logs: rows, next_token: null }]) {
      simulator.fail({ kind: 'answer', path: address, body });
      const { items } = await client.auditLog.list();
      assert.doesNotMatch(JSON.stringify(items), /hunter2/);
      assert.deepEqual(
        items.map(({ ids, state, at, route, address: from }) => [ids, state, at, route, from]),
        [
          [[7], 'stopped', 1796108414250, 'api.instance_PUT', '203.0.113.9'],
          [[8, 9], undefined, 1796108414250, 'api.instance_PUT', '203.0.113.9'],
          [[], undefined, Date.UTC(2026, 11, 1, 10), 'api.instance_PUT', '203.0.113.9'],
          [[], undefined, Date.UTC(2026, 11, 1, 10), 'api.instance_PUT', '203.0.113.9'],
          [[], undefined, undefined, '', undefined],
        ],
      );
    }
  });
});
