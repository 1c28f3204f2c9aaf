import assert from 'node:assert/strict';
import { user } from '../../../src/wire/user';
import { orderAccount } from '../../support/secondFactorAccount';
import { useSimulators } from '../../support/startSimulator';

describe('accounts that tests order', () => {
  const simulators = useSimulators();

  it('are steered by a full key alone', async () => {
    const simulator = await simulators.start();
    const scoped = await simulator.call('POST', '/__sim/keys/', { permissions: { api: { misc: {} } } });
    for (const [method, path] of [
      ['POST', '/__sim/tfa-accounts/'],
      ['GET', '/__sim/outbox/'],
      ['POST', '/__sim/tfa-login/'],
      ['POST', '/__sim/expire-sessions/'],
      ['PUT', '/__sim/account/'],
    ] as const) {
      const answer = await simulator.call(method, path, undefined, scoped.json.key as string);
      assert.equal(answer.status, 403, path);
    }
  });

  it('are of the kind that was wanted', async () => {
    const simulator = await simulators.start();
    const states: unknown[] = [];
    for (const kind of ['plain', 'totp', 'sms', 'both', 'legacy', 'unverified', 'admin', 'team'] as const) {
      const { key } = await orderAccount(simulator, kind, { demanded: false });
      const { json } = await simulator.call('GET', '/api/v0/users/current/', undefined, key);
      assert.ok(user.safeParse(json).success);
      states.push([kind, json.tfa_status, json.email_verified_at !== null, json.is_admin]);
    }
    assert.deepEqual(states, [
      ['plain', 'disabled', true, false],
      ['totp', 'enabled', true, false],
      ['sms', 'enabled', true, false],
      ['both', 'enabled', true, false],
      ['legacy', 'legacy', true, false],
      ['unverified', 'disabled', false, false],
      ['admin', 'enabled', false, true],
      ['team', 'enabled', true, false],
    ]);
    const unknown = await simulator.call('POST', '/__sim/tfa-accounts/', { kind: 'royal' });
    assert.equal(unknown.status, 400);
  });

  it('can be changed while they are used', async () => {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'totp', { demanded: false });
    const list = () => simulator.call('GET', '/api/v0/template/', undefined, account.key);
    assert.equal((await list()).status, 200);
    const change = {
      account_id: account.accountId,
      demands_tfa: true,
      email_verified: false,
      is_admin: true,
    };
    await simulator.call('PUT', '/__sim/account/', change);
    assert.equal((await list()).status, 403);
    const { json } = await simulator.call('GET', '/api/v0/users/current/', undefined, account.key);
    assert.deepEqual([json.email_verified_at, json.is_admin], [null, true]);
    await simulator.call('PUT', '/__sim/account/', { ...change, demands_tfa: false, email_verified: true });
    assert.equal((await list()).status, 200);
  });

  it('have their messages in an outbox, by account', async () => {
    const simulator = await simulators.start();
    const one = await orderAccount(simulator, 'both');
    const two = await orderAccount(simulator, 'both');
    await simulator.call('POST', '/api/v0/tfa/email/', {}, one.key);
    await simulator.call('POST', '/api/v0/tfa/sms/', {}, two.key);
    const all = await simulator.call('GET', '/__sim/outbox/');
    assert.equal(all.json.messages.length, 2);
    const own = await simulator.call('GET', `/__sim/outbox/?account_id=${one.accountId}`);
    assert.equal(own.json.messages.length, 1);
    const [message] = own.json.messages as { to: string; text: string; code: string }[];
    assert.equal(message?.to, one.email);
    assert.ok(message.text.includes(message.code));
  });

  it('show nothing but the documented fields where that is wanted', async () => {
    const simulator = await simulators.start({ minimalRecords: true });
    const { json } = await simulator.call('GET', '/api/v0/users/current/');
    assert.deepEqual(Object.keys(json as object).sort(), [
      'balance',
      'credit',
      'email',
      'email_verified_at',
      'full_name',
      'id',
      'is_admin',
      'key_id',
      'sid',
      'ssh_key',
      'tfa_status',
    ]);
  });
});
