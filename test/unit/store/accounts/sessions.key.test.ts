import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealWindows } from '../../../support/realWindows';
import { orderAccount } from '../../../support/secondFactorAccount';
import { startTestSimulator, type TestSimulator } from '../../../support/startSimulator';

describe('the key of an account in a session', () => {
  let simulator: TestSimulator;
  let folder: string;
  let windows: RealWindows;

  beforeEach(async () => {
    simulator = await startTestSimulator();
    folder = await mkdtemp(join(tmpdir(), 'key-in-session-'));
    windows = new RealWindows(folder, simulator.url);
  });
  afterEach(async () => {
    await windows.close();
    await simulator.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it('stays the one that was entered, so that what it may do is known', async () => {
    const account = await orderAccount(simulator, 'totp');
    const window = windows.open();
    window.setPrompt(({ client }) =>
      client.secondFactor.logIn({ kind: 'backup', backupCode: account.backupCodes[0] ?? '' }),
    );
    const { client, user } = await window.signIn(account.key);
    const { items } = await client.apiKeys.list();
    assert.equal(window.state.asked, 1);
    assert.ok(items.some(({ id }) => id === user.keyId));
    assert.notEqual((await client.users.current()).keyId, user.keyId, 'the service names the session');
    assert.equal((await window.accounts.refreshUser()).keyId, user.keyId);
    assert.equal(window.accounts.active?.user.keyId, user.keyId);
  });
});
