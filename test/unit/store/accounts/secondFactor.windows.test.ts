import assert from 'node:assert/strict';
import {
  SecondFactorNeededError,
  type SecondFactorPrompt,
} from '../../../../src/store/accounts/secondFactor';
import { useFactorWindows } from '../../../support/factorWindows';
import { until } from '../../../support/until';

describe('the second factor in several windows', () => {
  const scene = useFactorWindows();
  const { enterCode } = scene;

  it('is requested in the window in use, and both windows continue', async () => {
    const back = scene.windows.open(false);
    const front = scene.windows.open(true);
    back.setPrompt(enterCode);
    front.setPrompt(enterCode);
    const polling = await back.signIn(scene.account.key);
    await front.accounts.load();
    await until('both are signed in', () => front.accounts.active !== undefined, { everyMs: 5 });
    assert.deepEqual((await polling.client.instances.list()).items, []);
    assert.deepEqual((await front.accounts.active?.client.instances.list())?.items, []);
    assert.deepEqual([back.state.asked, front.state.asked], [0, 1]);
  });

  it('waits for the focus where no window has it', async () => {
    const window = scene.windows.open(false);
    window.setPrompt(enterCode);
    const { client } = await window.signIn(scene.account.key);
    const listing = client.instances.list();
    await until('users/current was asked again', () => scene.simulator.received('GET', /users/).length > 1, {
      everyMs: 5,
    });
    assert.equal(window.state.asked, 0);
    window.setFocus(true);
    assert.deepEqual((await listing).items, []);
    assert.equal(window.state.asked, 1);
  });

  it('leaves nothing usable in another window after a sign-out', async () => {
    const one = scene.windows.open(true);
    const two = scene.windows.open(false);
    one.setPrompt(enterCode);
    const signedIn = await one.signIn(scene.account.key);
    await two.accounts.load();
    await signedIn.client.instances.list();
    const other = two.accounts.active;
    assert.ok(other);
    await other.client.instances.list();
    await one.accounts.signOut(signedIn.key);
    await until('the other window is signed out', () => two.accounts.active === undefined, { everyMs: 5 });
    assert.equal(scene.windows.secrets.values.size, 0);
    await assert.rejects(other.client.instances.list());
  });

  it('ends both questions by one code where two windows begin at once', async () => {
    const one = scene.windows.open(true);
    const two = scene.windows.open(true);
    const open = new Set<string>();
    let isAnswered = false;
    const ask =
      (name: string): SecondFactorPrompt =>
      async (subject, signal, wanted) => {
        open.add(name);
        const isOver = () => (name === 'one' && isAnswered) || signal.aborted;
        await until('an answer, or the end of the question', isOver, { everyMs: 5 });
        open.delete(name);
        return signal.aborted ? undefined : enterCode(subject, signal, wanted);
      };
    one.setPrompt(ask('one'));
    two.setPrompt(ask('two'));
    const first = await one.signIn(scene.account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    scene.windows.hubs.hold();
    const lists = Promise.all([first.client.instances.list(), two.accounts.active?.client.instances.list()]);
    await until('a question in each window', () => open.size === 2, { everyMs: 5 });
    scene.windows.hubs.arrive();
    isAnswered = true;
    await lists;
    await until('the end of the other one', () => open.size === 0, { everyMs: 5 });
    assert.equal(scene.simulator.received('POST', '/api/v0/tfa/').length, 1);
  });

  it('asks again after a "no" that another window has made good', async () => {
    const one = scene.windows.open(true);
    const two = scene.windows.open(false);
    let answers = 0;
    one.setPrompt(() => Promise.resolve(undefined));
    two.setPrompt((...asked) => {
      answers += 1;
      return answers === 1
        ? enterCode(...asked)
        : asked[0].client.secondFactor.logIn({
            kind: 'backup',
            backupCode: scene.account.backupCodes[0] ?? '',
          });
    });
    const { client } = await one.signIn(scene.account.key);
    await two.accounts.load();
    await until('both are signed in', () => two.accounts.active !== undefined, { everyMs: 5 });
    await assert.rejects(client.instances.list(), SecondFactorNeededError);
    two.setFocus(true);
    await two.accounts.enterSecondFactor();
    await two.accounts.active?.client.instances.list();
    await scene.simulator.call('POST', '/__sim/expire-sessions/', {});
    await two.accounts.active?.client.instances.list();
    assert.equal(answers, 2);
  });
});
