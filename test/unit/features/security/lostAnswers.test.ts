import assert from 'node:assert/strict';
import { NotReachableError, RefusedError, TimedOutError } from '../../../../src/api/errors';
import { authorizer, confirmer, remover } from '../../../../src/features/security/lostAnswers';
import { useClients } from '../../../support/apiClient';
import { lastCode, orderAccount, otherThan, totpCode } from '../../../support/secondFactorAccount';
import { useSimulators } from '../../../support/startSimulator';

describe('confirming a new second factor', () => {
  const simulators = useSimulators();
  const clients = useClients();

  async function authorized() {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'plain');
    const { client } = clients.connect(simulator, { key: account.key });
    const { secret = '' } = await client.secondFactor.startAuthorization({ kind: 'code' });
    await client.secondFactor.finishAuthorization({ secret, code: await lastCode(simulator, 'email') });
    const setup = await client.secondFactor.setUpTotp();
    const method = () => ({
      type: 'totp' as const,
      secret: setup.secret,
      code: totpCode(simulator, setup.secret),
    });
    return { simulator, client, method, confirm: confirmer(client, await client.secondFactor.status()) };
  }

  it('gives the backup codes of the first one', async () => {
    const { confirm, method } = await authorized();
    assert.equal((await confirm(method(), {})).backupCodes?.length, 10);
  });

  it('finds a method whose answer was lost, instead of a duplicate', async () => {
    const { simulator, client, confirm, method } = await authorized();
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/confirm-new/' });
    assert.deepEqual(await confirm(method(), {}), {}, 'its backup codes are lost');
    assert.equal((await client.secondFactor.status()).methods.length, 1);
    assert.equal(simulator.received('POST', /confirm-new/).length, 1);
  });

  it('finds it at the second try, where nothing could be asked at the first', async () => {
    const { simulator, confirm, method } = await authorized();
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/confirm-new/' });
    simulator.fail({ kind: 'error', path: '/api/v0/tfa/status/', status: 500, times: 10 });
    await assert.rejects(confirm(method(), {}));
    simulator.faults.clear();
    assert.deepEqual(await confirm(method(), {}), {});
  });

  it('does not mistake a refusal for a lost answer', async () => {
    const { simulator, confirm, method } = await authorized();
    await assert.rejects(confirm({ ...method(), code: otherThan(method().code) }, {}), RefusedError);
    assert.equal(simulator.received('GET', /status/).length, 1, 'nobody looked again');
    assert.ok((await confirm(method(), {})).backupCodes);
  });

  it('distinguishes a lost request from a lost answer', async () => {
    const { client, confirm, method } = await authorized();
    const lost = confirmer(
      {
        ...client,
        secondFactor: { ...client.secondFactor, confirmNew: () => Promise.reject(new TimedOutError()) },
      },
      { methods: [] },
    );
    await assert.rejects(lost(method(), {}), TimedOutError);
    assert.ok((await confirm(method(), {})).backupCodes);
  });
});

describe('authorizing a new second factor', () => {
  const simulators = useSimulators();
  const clients = useClients();

  it('is done where the answer was lost, and uses up no other backup code', async () => {
    const simulator = await simulators.start();
    const { key, backupCodes } = await orderAccount(simulator, 'totp', { demanded: false });
    const { client } = clients.connect(simulator, { key });
    const authorize = authorizer(client, (backupCode, options) =>
      client.secondFactor.startAuthorization({ kind: 'backup', backupCode }, options),
    );
    await assert.rejects(authorize('AAAA-AAAA-AAAA', {}), RefusedError);
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/authorize-new-method/' });
    assert.equal(await authorize(backupCodes[0] ?? '', {}), true);
    assert.equal(simulator.received('POST', /authorize-new-method/).length, 2);
  });
});

describe('removing a second factor', () => {
  const simulators = useSimulators();
  const clients = useClients();

  async function start(kind: 'both' | 'totp' | 'legacy') {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, kind, { demanded: false });
    const { client } = clients.connect(simulator, { key: account.key });
    const { methods } = await client.secondFactor.status();
    const proof = (index = 0) => ({ kind: 'backup' as const, backupCode: account.backupCodes[index] ?? '' });
    const status = () => simulator.call('GET', '/api/v0/tfa/status/', undefined, account.key);
    return { simulator, client, methods, proof, status, remove: remover(client, methods.at(-1)) };
  }

  for (const [kind, expected] of [
    ['both', { remaining: 1 }],
    ['totp', {}],
  ] as const) {
    it(`finds it gone where the answer was lost: ${kind}`, async () => {
      const { simulator, remove, proof } = await start(kind);
      simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/' });
      assert.deepEqual(await remove(proof(), {}), expected);
      assert.equal(simulator.received('DELETE', /tfa/).length, 1);
    });
  }

  it('does not treat the other methods as gone if the answer does not mention them', async () => {
    const { simulator, remove, proof } = await start('both');
    const body = { success: true };
    simulator.fail({ kind: 'answer', method: 'DELETE', path: '/api/v0/tfa/', body, after: true });
    assert.deepEqual(await remove(proof(), {}), { remaining: 1 });
  });

  it('does not treat one as gone that may be among those that could not be read', async () => {
    const { simulator, client, remove, proof, status } = await start('both');
    const { json } = await status();
    simulator.fail({ kind: 'dropBefore', method: 'DELETE', path: '/api/v0/tfa/' });
    const [kept] = json.methods as readonly object[];
    simulator.fail({
      kind: 'answer',
      method: 'GET',
      path: '/api/v0/tfa/status/',
      status: 200,
      body: { ...json, methods: [kept, { id: { broken: true } }] },
    });
    await assert.rejects(remove(proof(), {}), NotReachableError);
    assert.equal((await client.secondFactor.status()).methods.length, 2);
  });

  it('finds the older form gone where the answer was lost', async () => {
    const { simulator, client, remove } = await start('legacy');
    const { secret } = await client.secondFactor.sendSms({});
    const code = await lastCode(simulator, 'sms');
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/' });
    assert.deepEqual(await remove({ kind: 'code', factor: 'sms', code, secret }, {}), {});
  });

  it('reports a lost answer if the request was lost, and removes it at the next try', async () => {
    const { simulator, remove, proof } = await start('both');
    simulator.fail({ kind: 'dropBefore', path: '/api/v0/tfa/' });
    await assert.rejects(remove(proof(), {}), NotReachableError);
    assert.deepEqual(await remove(proof(), {}), { remaining: 1 });
  });

  it('finds it gone at the second try, which is refused', async () => {
    const { simulator, remove, proof } = await start('both');
    simulator.fail({ kind: 'dropAfter', path: '/api/v0/tfa/' });
    simulator.fail({ kind: 'error', path: '/api/v0/tfa/status/', status: 500, times: 10 });
    await assert.rejects(remove(proof(), {}));
    simulator.faults.clear();
    assert.deepEqual(await remove(proof(1), {}), { remaining: 1 });
  });

  it('does not mistake a wrong code for a lost answer', async () => {
    const { simulator, remove } = await start('both');
    await assert.rejects(remove({ kind: 'backup', backupCode: 'AAAA-BBBB-CCCC' }, {}), RefusedError);
    assert.equal(simulator.received('GET', /status/).length, 1, 'nobody looked again');
  });
});
