import assert from 'node:assert/strict';
import { RefusedError } from '../../../../src/api/errors';
import { sendSms, sendSmsAgain } from '../../../../src/features/security/challenges';
import { useClients } from '../../../support/apiClient';
import { lastCode, orderAccount } from '../../../support/secondFactorAccount';
import { useSimulators } from '../../../support/startSimulator';

describe('codes by text message', () => {
  const simulators = useSimulators();
  const clients = useClients();

  async function start() {
    const simulator = await simulators.start();
    const account = await orderAccount(simulator, 'sms');
    const { client } = clients.connect(simulator, { key: account.key });
    const logIn = async (secret: string) =>
      client.secondFactor.logIn({
        kind: 'code',
        factor: 'sms',
        secret,
        code: await lastCode(simulator, 'sms'),
      });
    return { simulator, client, logIn };
  }

  it('are sent again where one was sent a short while ago, and the newest one counts', async () => {
    const { simulator, client, logIn } = await start();
    await sendSms(client, {});
    const { secret } = await sendSms(client, {});
    assert.deepEqual(
      simulator.received('POST', /sms/).map(({ path, status }) => [path, status]),
      [
        ['/api/v0/tfa/sms/', 200],
        ['/api/v0/tfa/sms/', 400],
        ['/api/v0/tfa/sms/resend/', 200],
      ],
    );
    assert.ok((await logIn(secret)).sessionKey);
  });

  it('are sent again once the ten minutes of the first are over', async () => {
    const { simulator, client, logIn } = await start();
    await sendSms(client, {});
    simulator.advance(11 * 60);
    const { secret } = await sendSmsAgain(client, {});
    assert.ok((await logIn(secret)).sessionKey);
  });

  it('that are refused for another reason are not tried in another way', async () => {
    const { simulator, client } = await start();
    await assert.rejects(
      sendSms(client, { phone: '+15005550002' }),
      (error) => error instanceof RefusedError && error.code === 'sms_blocked_number',
    );
    assert.equal(simulator.received('POST', /sms/).length, 1);
  });
});
