import assert from 'node:assert/strict';
import { RefusedError } from '../../src/api/errors';
import { useClients } from '../support/apiClient';
import { lastCode, orderAccount, totpCode } from '../support/secondFactorAccount';
import { useSimulators } from '../support/startSimulator';

/** Each row of the state table, from the client (docs/service/two-factor.md#states). */
describe('the states of two-factor authentication', () => {
  const simulators = useSimulators();
  const clients = useClients();

  async function start(kind: 'plain' | 'totp' | 'both' | 'legacy') {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, kind, { demanded: false });
    const { client } = clients.connect(simulator, { key: account.key });
    const states = async () => {
      const [user, status] = await Promise.all([client.users.current(), client.secondFactor.status()]);
      return [user.tfaStatus, status.enabled, status.methods.length, status.backupCodesRemaining];
    };
    return { simulator, account, client, states };
  }

  it('off → on: the first confirmed method brings the backup codes', async () => {
    const { simulator, client, states } = await start('plain');
    assert.deepEqual(await states(), ['disabled', false, 0, 0]);
    const { secret = '' } = await client.secondFactor.startAuthorization({ kind: 'code' });
    await client.secondFactor.finishAuthorization({ secret, code: await lastCode(simulator, 'email') });
    assert.deepEqual(await states(), ['disabled', false, 0, 0], 'the authorization alone changes nothing');
    const setup = await client.secondFactor.setUpTotp();
    assert.deepEqual(await states(), ['disabled', false, 0, 0], 'nor does the secret of an app');
    const confirmed = await client.secondFactor.confirmNew({
      type: 'totp',
      secret: setup.secret,
      code: totpCode(simulator, setup.secret),
    });
    assert.equal(confirmed.backupCodes?.length, 10);
    assert.deepEqual(await states(), ['enabled', true, 1, 10]);
  });

  it('on → on: another method remains, and the answer states how many', async () => {
    const { account, client, states } = await start('both');
    const removed = await client.secondFactor.remove(2, {
      kind: 'backup',
      backupCode: account.backupCodes[0] ?? '',
    });
    assert.deepEqual(removed, { remaining: 1 });
    assert.deepEqual(await states(), ['enabled', true, 1, 9]);
  });

  it('on → off: the last method is removed with the backup codes', async () => {
    const { simulator, account, client, states } = await start('totp');
    const code = totpCode(simulator, account.totpSecret);
    const removed = await client.secondFactor.remove(1, { kind: 'code', factor: 'totp', code, methodId: 1 });
    assert.deepEqual(removed, {});
    assert.deepEqual(await states(), ['disabled', false, 0, 0]);
    await assert.rejects(
      client.secondFactor.logIn({ kind: 'backup', backupCode: account.backupCodes[0] ?? '' }),
      RefusedError,
    );
  });

  it('older form → off: nothing is named, and there are no backup codes', async () => {
    const { simulator, client, states } = await start('legacy');
    assert.deepEqual(await states(), ['legacy', true, 0, 0]);
    const { secret } = await client.secondFactor.sendSms({});
    const code = await lastCode(simulator, 'sms');
    assert.deepEqual(
      await client.secondFactor.remove(undefined, { kind: 'code', factor: 'sms', code, secret }),
      {},
    );
    assert.deepEqual(await states(), ['disabled', false, 0, 0]);
  });

  it('authorized for 30 minutes, and not a minute longer', async () => {
    const { simulator, account, client } = await start('totp');
    const isAuthorized = async () => (await client.secondFactor.status()).newMethodAuthorized;
    assert.equal(await isAuthorized(), false);
    await client.secondFactor.startAuthorization({
      kind: 'backup',
      backupCode: account.backupCodes[0] ?? '',
    });
    assert.equal(await isAuthorized(), true);
    const setup = await client.secondFactor.setUpTotp();
    simulator.advance(29 * 60);
    assert.equal(await isAuthorized(), true);
    simulator.advance(2 * 60);
    assert.equal(await isAuthorized(), false);
    await assert.rejects(
      client.secondFactor.confirmNew({
        type: 'totp',
        secret: setup.secret,
        code: totpCode(simulator, setup.secret),
      }),
      (error) => error instanceof RefusedError && error.code === 'authorization_required',
    );
  });
});
