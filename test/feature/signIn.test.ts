import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('signing in and out', () => {
  const computer = useComputer({
    simulator: { apiKey: 'ui-secret-key-5f2c9e' },
    secrets: ['not-a-key', 'odd-key-71'],
  });
  let window: FeatureWindow;
  const users = () => computer().simulator.received('GET', /^\/api\/v0\/users\/current/).length;
  const notUnderstood = /^The service sent an answer that could not be understood\./;
  const userPath = '/api/v0/users/current/';

  async function toKeyBox(): Promise<void> {
    window.run('Sign In…');
    await window.quick.title('Sign In');
    await window.quick.pick(computer().simulator.url);
    await window.quick.title('Sign In: API key');
  }

  it('sends nothing before a request, and shows what can be done', async () => {
    window = await computer().openWindow();
    const welcome = await window.view('instances').welcomeShows('Sign In');
    for (const offered of ['Try the Demo Marketplace', 'How It Works', 'no charges']) {
      assert.ok(welcome.includes(offered), welcome);
    }
    await computer().pass(60 * 60_000);
    assert.deepEqual(computer().simulator.requests(), []);
    assert.throws(() => {
      window.run('Sign Out…');
    }, /does not offer/);
  });

  it('does not echo the key, and shows what is wrong with it', async () => {
    await window.view('instances').welcomeButton('Sign In');
    await window.quick.pick(computer().simulator.url);
    await window.quick.title('Sign In: API key');
    assert.equal('password' in window.quick.open && window.quick.open.password, true);
    const prompt = window.quick.open.message;
    assert.match(prompt, /^Paste the API key/);
    await window.quick.type('not-a-key');
    const message = await window.quick.message(/^(?!Paste the API key)/);
    assert.match(message, /key/i);
    assert.doesNotMatch(message, /not-a-key/);
    window.quick.escape();
    await computer().pass(1000);
    assert.deepEqual(window.toasts(), []);
    await window.view('instances').welcomeShows('Sign In');
  });

  it('shows for which service a key is that was found on this computer', async () => {
    const found = path.join(computer().root, 'home', '.vast_api_key');
    writeFileSync(found, 'not-a-key');
    window.run('Sign In…');
    await window.quick.title('Sign In');
    await window.quick.pick(computer().simulator.url);
    await window.quick.title('Sign In: API key');
    const { host } = new URL(computer().simulator.url);
    await window.quick.row('Use the Key from ~/.vast_api_key');
    const rows = window.quick.rows().join('\n');
    assert.ok(rows.includes(`Key for console.vast.ai, not for ${host}`), rows);
    window.quick.escape();
    rmSync(found);
    await computer().rest();
  });

  it('explains why it could not check whether the key is right', async () => {
    const { simulator } = computer();
    await toKeyBox();
    for (const [fault, said] of [
      [
        { kind: 'error', status: 500, error: 'server_error' },
        /^The service has a problem of its own\. Try again in a few minutes\.$/,
      ],
      [{ kind: 'answer', status: 200, body: {} }, notUnderstood],
      [{ kind: 'answer', status: 200, body: [] }, notUnderstood],
    ] as const) {
      simulator.fail({ ...fault, method: 'GET', path: userPath, times: 0 });
      await window.quick.type('odd-key-71', { enter: false });
      await window.quick.message(/^Paste the API key/);
      await window.quick.enter();
      await window.quick.message(said);
      simulator.faults.clear();
    }
    assert.equal(window.quick.open.enabled, true);
    window.quick.escape();
  });

  it('checks the key once and shows who is signed in', async () => {
    const before = users();
    await window.signIn();
    await window.view('instances').welcomeShows('You are not charged');
    assert.equal(users() - before, 1);
    await window.view('account').row('ada@example.com');
  });

  it('is signed in in a further window at once, and after a reload', async () => {
    const second = await computer().openWindow();
    await second.view('instances').welcomeShows('You are not charged');
    window.close();
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').welcomeShows('You are not charged');
  });

  it('asks before it signs out, and every window follows', async () => {
    window.run('Sign Out…');
    await window.dialogButton('Cancel');
    await window.view('instances').welcomeShows('You are not charged');
    window.run('Sign Out…');
    await window.dialogButton('Sign Out');
    for (const one of computer().windows.filter(({ isOpen }) => isOpen)) {
      await one.view('instances').welcomeShows('Try the Demo Marketplace');
    }
    const sent = computer().simulator.requests().length;
    await computer().pass(60 * 60_000);
    assert.equal(computer().simulator.requests().length, sent, 'nothing is asked without a key');
  });
});
