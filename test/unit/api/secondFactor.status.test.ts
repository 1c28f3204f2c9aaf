import assert from 'node:assert/strict';
import { RefusedError } from '../../../src/api/errors';
import { FakeClock } from '../../support/fakeClock';
import { scriptedClient } from '../../support/fakeTransport';

const app = { id: 1, method: 'totp', is_primary: true };

describe('the time until which a method is locked', () => {
  const clock = new FakeClock();
  const now = Math.floor(clock.now() / 1000);
  const lockedFor = 900;

  for (const [minutes, where] of [
    [0, 'that agrees with the service'],
    [-180, 'that is three hours behind'],
    [10, 'that is ten minutes ahead'],
  ] as const) {
    it(`is one of this computer's clock ${where}`, async () => {
      const ofService = now - minutes * 60;
      const headers = { date: new Date(ofService * 1000 + 900).toUTCString() };
      const locked_until = ofService + lockedFor;
      const methods = [{ ...app, fail_count: 5, locked_until }];
      const refusal = { success: false, error: 'tfa_locked', fail_count: 5, locked_until };
      const { client, finish } = scriptedClient(
        [
          { json: { success: true, methods }, headers },
          { status: 429, json: refusal, headers },
        ],
        { clock: new FakeClock() },
      );
      const [method] = (await finish(client.secondFactor.status())).methods;
      assert.equal(method?.lockedUntil, now + lockedFor);
      const logIn = client.secondFactor.logIn({ kind: 'code', factor: 'totp', code: '123456' });
      await assert.rejects(finish(logIn), (error) => {
        assert.ok(error instanceof RefusedError);
        assert.equal(error.lockedUntil, now + lockedFor);
        return true;
      });
    });
  }

  it('stays what it is where the service states no time', async () => {
    const methods = [{ ...app, locked_until: now + lockedFor }];
    const { client, finish } = scriptedClient([{ json: { success: true, methods } }]);
    assert.equal((await finish(client.secondFactor.status())).methods[0]?.lockedUntil, now + lockedFor);
  });
});

describe('the 2FA methods of an account', () => {
  it('may all be of an unknown kind, and the backup codes count all the same', async () => {
    const json = { success: true, methods: [{ ...app, method: 'passkey' }], backup_codes_remaining: 4 };
    const { client, finish } = scriptedClient([{ json }]);
    const { enabled, methods, skipped, backupCodesRemaining } = await finish(client.secondFactor.status());
    assert.deepEqual([enabled, methods, skipped, backupCodesRemaining], [true, [], 1, 4]);
  });
});
