import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import { Sessions } from '../../../../src/store/accounts/sessions';
import { aUser } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { settle } from '../../../support/fakeClock';
import { until } from '../../../support/until';

describe('Accounts, the same in all windows and after a restart', () => {
  let { service, computer } = {} as ComputerScene;
  const main = { serviceUrl: 'https://console.example.com', apiKey: 'key-one-secret' };
  beforeEach(async () => {
    ({ service, computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  const signIn = (window: ReturnType<typeof computer.openWindow>, id: number, isDemo = false) => {
    service.user = aUser({ id, email: `${id}@example.com` });
    return window.accounts.signIn({ ...main, apiKey: `key-${id}`, isDemo });
  };
  async function openLoaded() {
    const window = computer.openWindow();
    await window.accounts.load();
    return window;
  }

  it('follow a switch, also over a restart', async () => {
    const one = await openLoaded();
    const first = await signIn(one, 1);
    await signIn(one, 2);
    const two = await openLoaded();
    await one.accounts.switchTo(first.key);
    await until('the other window', () => two.accounts.active?.userId === 1, { everyMs: 5 });
    assert.equal((await openLoaded()).accounts.active?.userId, 1);
  });

  it('use a lost key again once it is back in the key ring, from any source', async () => {
    const { key } = await signIn(computer.openWindow(), 1);
    computer.secrets.values.clear();
    const window = await openLoaded();
    assert.equal(window.accounts.state.kind, 'unreadable');
    await new Sessions(computer.secrets).write(key, { apiKey: 'key-1' });
    await until('the key', () => window.accounts.active?.key === key, { everyMs: 5 });
  });

  for (const [what, others, next] of [
    ['no account where there is no other', [], undefined],
    ['the account that is left', [2], 2],
    ['no demo, which the user has to ask for', [-3], undefined],
  ] as const) {
    it(`use after a sign-out ${what}, in every window`, async () => {
      const one = await openLoaded();
      const two = await openLoaded();
      for (const id of others) {
        await signIn(one, Math.abs(id), id < 0);
      }
      const { key } = await signIn(one, 1);
      await until('both', () => two.accounts.active?.key === key, { everyMs: 5 });
      await one.accounts.signOut(key);
      assert.equal(one.accounts.active?.userId, next);
      await until('the other window', () => two.accounts.active?.userId === next, { everyMs: 5 });
      assert.equal((await openLoaded()).accounts.active?.userId, next);
    });
  }

  it('stay with the one in use where another one is signed out', async () => {
    const window = await openLoaded();
    const { key } = await signIn(window, 1);
    await signIn(window, 2);
    await window.accounts.signOut(key);
    assert.equal(window.accounts.active?.userId, 2);
  });

  it('send nothing more for one that is signed out while the key ring does not answer', async () => {
    const window = await openLoaded();
    const { key } = await signIn(window, 1);
    computer.secrets.delete = () => new Promise(() => undefined);
    void window.accounts.signOut(key);
    await until('the sign-out', async () => (await window.accounts.known()).length === 0, { everyMs: 5 });
    await settle();
    assert.equal(window.accounts.session(key), undefined);
  });

  it('follow a sign-out of another window also if the key ring has kept the key', async () => {
    const one = await openLoaded();
    const two = await openLoaded();
    const { key } = await signIn(one, 1);
    await until('both', () => two.accounts.active !== undefined, { everyMs: 5 });
    computer.secrets.delete = () => Promise.reject(new Error('locked'));
    await assert.rejects(one.accounts.signOut(key), /did not remove all secrets/);
    await until('the other window', () => two.accounts.state.kind === 'signedOut', { everyMs: 5 });
  });

  it('keep what was read of the user with another key', async () => {
    const window = await openLoaded();
    const { key } = await signIn(window, 1);
    service.user = aUser({ id: 1, keyId: 12 });
    await window.accounts.replaceKey(key, 'key-other');
    assert.equal(window.accounts.active?.user.keyId, 12);
    assert.equal((await openLoaded()).accounts.active?.user.keyId, 12);
  });

  it('stay with the one in use where another one gets another key', async () => {
    const window = await openLoaded();
    const { key } = await signIn(window, 1);
    await signIn(window, 2);
    service.user = aUser({ id: 1 });
    await window.accounts.replaceKey(key, 'key-other');
    assert.equal(window.accounts.active?.userId, 2);
  });

  it('share a session that was entered in one of them, with its key', async () => {
    const one = await openLoaded();
    const { key } = await signIn(one, 1);
    const two = await openLoaded();
    await one.accounts.updateSession(key, { sessionKey: 'session' });
    const session = { apiKey: 'key-1', sessionKey: 'session' };
    assert.deepEqual(one.accounts.session(key), session);
    await until('the other window', () => two.accounts.session(key)?.sessionKey === 'session', {
      everyMs: 5,
    });
    assert.deepEqual((await openLoaded()).accounts.session(key), session);
    await assert.rejects(one.accounts.updateSession('another', {}), NotSignedInError);
  });

  it('have no second factor to enter without an account or a prompt', async () => {
    const { accounts } = await openLoaded();
    await assert.rejects(accounts.enterSecondFactor(), NotSignedInError);
    await accounts.signIn(main);
    assert.equal(await accounts.enterSecondFactor(), false);
  });

  it('log once that a key is not kept', async () => {
    computer.secrets.forgets = true;
    await computer.openWindow().accounts.signIn(main);
    computer.secrets.forgets = false;
    await computer.openWindow().accounts.signIn(main);
    const line = 'warn The editor did not keep the API key; it works until this window closes';
    assert.equal(computer.log.count(line), 1);
  });

  it('log once that the disk refuses, for any number of tries', async () => {
    const path = join(computer.storageDir, 'activeAccount.json');
    await mkdir(path);
    const { accounts } = await openLoaded();
    for (let time = 0; time < 3; time += 1) {
      await computer.clock.advance(15_000);
    }
    assert.equal(accounts.state.kind, 'unreadable');
    assert.equal(computer.log.count('error The accounts could not be read'), 1);
    await rm(path, { recursive: true });
    await computer.clock.advance(15_000);
    assert.deepEqual([accounts.state.kind, computer.clock.pending], ['signedOut', 0]);
  });

  it('notify the other listeners when one fails, and log that', async () => {
    const { accounts } = await openLoaded();
    accounts.onDidChange(() => {
      throw new Error('broken');
    });
    const events: string[] = [];
    accounts.onDidChange(({ kind }) => events.push(kind));
    await accounts.signIn(main);
    assert.deepEqual(events, ['signedIn']);
    assert.equal(computer.log.count('error A listener of the accounts failed'), 1);
  });
});
