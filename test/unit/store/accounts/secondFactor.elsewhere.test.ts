import assert from 'node:assert/strict';
import type { SecondFactorPrompt } from '../../../../src/store/accounts/secondFactor';
import { enterCodeOf, factorScene, type FactorScene } from '../../../support/factorWindows';
import { FakeClock, settle } from '../../../support/fakeClock';
import { until } from '../../../support/until';

describe('a second factor that another window waits for', () => {
  let { simulator, account, windows, close } = {} as FactorScene;
  /** Of the questions; moved past what one window last said of its own. */
  let gateClock: FakeClock;

  beforeEach(async () => {
    gateClock = new FakeClock();
    ({ simulator, account, windows, close } = await factorScene({ gateClock }));
  });
  afterEach(() => close());

  const enterCode = enterCodeOf(() => ({ simulator, account }));

  it('is over for a window that was still reading the account when the session arrived', async () => {
    const one = windows.open(true);
    const two = windows.open(false);
    one.setPrompt(enterCode);
    two.setPrompt(enterCode);
    const { client } = await one.signIn(account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    const users = () => simulator.received('GET', /users/).filter(({ status }) => status === 200).length;
    const before = users();
    simulator.fail({ kind: 'delay', path: '/api/v0/users/current/', skip: 1, delayMs: 300 });
    await client.instances.list();
    await until('the answer to the other window', () => users() >= before + 2, { everyMs: 5 });
    await settle();
    // What the first window said of its question is long over.
    await gateClock.advance(60_000);
    two.setFocus(true);
    await two.accounts.active?.client.instances.list();
    assert.deepEqual([one.state.asked, two.state.asked], [1, 0]);
  });

  it('is asked for in a window that was opened while another one waited', async () => {
    const back = windows.open(false);
    back.setPrompt(enterCode);
    const { client } = await back.signIn(account.key);
    const listing = client.instances.list();
    await until('users/current was asked again', () => simulator.received('GET', /users/).length > 1, {
      everyMs: 5,
    });
    const front = windows.open(true);
    front.setPrompt(enterCode);
    await front.accounts.load();
    assert.deepEqual((await listing).items, []);
    assert.deepEqual([back.state.asked, front.state.asked], [0, 1]);
  });

  it('is asked for by the call of a window that already waited for another one, which is closed now', async () => {
    const one = windows.open(false);
    const two = windows.open(false);
    one.setPrompt(enterCode);
    two.setPrompt(enterCode);
    const { client } = await one.signIn(account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    const users = () => simulator.received('GET', /users/).length;
    const before = users();
    client.instances.list().catch(() => undefined);
    await until('both know that a code is needed', () => users() >= before + 2, { everyMs: 5 });
    const listing = two.accounts.active?.client.instances.list();
    one.close();
    const front = windows.open(true);
    front.setPrompt(enterCode);
    await front.accounts.load();
    assert.deepEqual((await listing)?.items, []);
    assert.deepEqual([two.state.asked, front.state.asked], [0, 1]);
  });

  it('is requested again when the session ends, though the first message about it was lost', async () => {
    const back = windows.open(false);
    const front = windows.open(true);
    let codes = 0;
    const backupCode: SecondFactorPrompt = ({ client }) =>
      client.secondFactor.logIn({ kind: 'backup', backupCode: account.backupCodes[codes++] ?? '' });
    front.setPrompt(backupCode);
    const polling = await back.signIn(account.key);
    await front.accounts.load();
    await until('both are signed in', () => front.accounts.active !== undefined, { everyMs: 5 });
    await polling.client.instances.list();
    await simulator.call('POST', '/__sim/expire-sessions/', {});
    windows.hubs.hold();
    const listing = polling.client.instances.list();
    await until('the word to the other window', () => windows.hubs.lose(), { everyMs: 5 });
    assert.deepEqual((await listing).items, []);
    assert.equal(front.state.asked, 2);
  });
});
