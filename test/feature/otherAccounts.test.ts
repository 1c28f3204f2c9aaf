import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accountKeyFor } from '../../src/store/accounts/accountFiles';
import { useComputer } from '../support/feature/useComputer';

describe('a schedule of an account that is not the active one', () => {
  const computer = useComputer();

  it('is carried out, and reported with the name of the account', async () => {
    const { simulator } = computer();
    const worker = await computer().rentRunning({ label: 'worker' });
    const window = await computer().openSignedIn();
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('30m', { enter: false });
    await window.quick.pick('In 30 min');
    await window.toast(/worker will be stopped at/);
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    window.clearToasts();
    await window.signIn((json as { key: string }).key);
    await window.toast(/still cost money: 1\. Until you switch back, their schedules are carried out/);
    await window.toast(/will be stopped in/, { withinMs: 28 * 60_000 });
    assert.equal(simulator.world.instance(worker)?.intendedStatus, 'running');
    await window.toast(/worker of .* is stopped, as scheduled\. Storage still costs \$\d/, {
      withinMs: 40 * 60_000,
    });
    assert.equal(simulator.world.instance(worker)?.intendedStatus, 'stopped');
    const sent = simulator.received('PUT', `/api/v0/instances/${worker}/`);
    assert.deepEqual(
      sent.map(({ body }) => body),
      [{ state: 'stopped' }],
    );
  });
});

describe('a destroy that a schedule of another account makes', () => {
  const computer = useComputer();

  it('is known as ours once its account is active again', async () => {
    const { simulator } = computer();
    const worker = await computer().rentRunning({ label: 'worker' });
    const window = await computer().openSignedIn();
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(/Destroy After a Time/);
    await window.quick.type('30m', { enter: false });
    await window.quick.pick('In 30 min');
    await window.dialogButton('Destroy Later');
    await window.toast(/worker will be destroyed/);
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    window.clearToasts();
    await window.signIn((json as { key: string }).key);
    await window.toast(/worker of .* is destroyed, as scheduled/, { withinMs: 60 * 60_000 });
    assert.equal(simulator.world.instance(worker), undefined);
    window.clearToasts();
    window.run('Switch Account…');
    await window.quick.pick(/ada@example\.com/);
    await window.view('instances').row(/Rental History/);
    await computer().pass(60_000);
    const said = window.screen.messages.history.map(({ text }) => text);
    assert.deepEqual(
      said.filter((text) => text.includes('without a request')),
      [],
    );
    window.clearToasts();
  });
});

describe('a schedule of an account that is not the active one, which has no instances', () => {
  const computer = useComputer();

  it('is noted for the next start by however many windows, and carried out without a view', async () => {
    const { simulator } = computer();
    const worker = await computer().rentRunning({ label: 'worker' });
    const window = await computer().openSignedIn();
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    await window.toast(/worker will be stopped/);
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    window.clearToasts();
    await window.signIn((json as { key: string }).key);
    await window.toast(/Until you switch back, their schedules are carried out/);
    const isNoted = () =>
      readFileSync(path.join(computer().storage, 'attention.json'), 'utf8').includes('true');
    const second = await computer().openWindow({ isFocused: false });
    await second.view('instances').row(/./);
    await computer().pass(5 * 60_000);
    assert.ok(isNoted());
    window.close();
    await computer().pass(5 * 60_000);
    assert.ok(isNoted(), 'after the second window has taken the lead');
    second.close();
    const next = await computer().openWindow();
    await next.toast(/worker of .* is stopped, as scheduled/, { withinMs: 3 * 3_600_000 });
    assert.equal(simulator.world.instance(worker)?.intendedStatus, 'stopped');
    next.clearToasts();
  });
});

describe('an idle schedule of an account that is not the active one', () => {
  const computer = useComputer();

  it('is carried out as well, and reported once over two windows with the name of the account', async () => {
    const { simulator } = computer();
    const worker = await computer().rentRunning({ label: 'worker' });
    const instance = simulator.world.instance(worker) ?? assert.fail();
    instance.gpuUse = 0;
    const window = await computer().openWindow();
    const second = await computer().openWindow({ isFocused: false });
    await window.signIn();
    await window.view('instances').menu('worker', 'End Later…');
    await window.quick.pick(/Stop When Idle/);
    await window.quick.type('45m', { enter: false });
    await window.quick.pick('Idle for 45 min');
    await window.toast(/worker will be stopped once/);
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    window.clearToasts();
    await window.signIn((json as { key: string }).key);
    const said = /worker of .* is stopped, as scheduled/;
    const { buttons } = await window.toast(said, { withinMs: 3 * 3_600_000 });
    assert.deepEqual(buttons, ['Switch Account…']);
    assert.equal(instance.intendedStatus, 'stopped');
    await computer().pass(10 * 60_000);
    const all = [window, second].flatMap(({ screen }) => screen.messages.history);
    assert.equal(all.filter(({ text }) => said.test(text)).length, 1);
    window.clearToasts();
  });
});

describe('a switch away from an account with instances', () => {
  const computer = useComputer();
  const said = /Instances of .* still cost money: 1\. Until you switch back, .* are not watched/;

  it('shows once, in the window that switches, what is no longer watched, and leads back', async () => {
    const { simulator } = computer();
    await computer().rentRunning({ label: 'worker' });
    const window = await computer().openWindow();
    const second = await computer().openWindow({ isFocused: false });
    await window.signIn();
    await window.view('instances').row('worker');
    const { json } = await simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    window.clearToasts();
    await window.signIn((json as { key: string }).key);
    await window.toastButton(said, 'Switch Back');
    await window.view('instances').row('worker');
    await computer().rest();
    const all = [window, second].flatMap(({ screen }) => screen.messages.history);
    assert.equal(all.filter(({ text }) => said.test(text)).length, 1);
    window.clearToasts();
  });

  it('shows nothing if the account has none', async () => {
    const [window] = computer().windows;
    assert.ok(window);
    const [worker] = computer().simulator.world.instances;
    await computer().simulator.call('DELETE', `/api/v0/instances/${worker?.id}/`);
    window.run('Refresh');
    await computer().pass(60_000);
    window.clearToasts();
    window.run('Switch Account…');
    await window.quick.pick(/^renter/);
    await computer().rest();
    assert.deepEqual(window.toasts(), []);
  });
});

describe('a demo marketplace that can’t start', () => {
  const computer = useComputer();

  it('leaves the account in use, which is watched as before', async () => {
    await computer().rentRunning({ label: 'worker' });
    const window = await computer().openSignedIn();
    await window.view('instances').row('worker');
    const serviceUrl = 'http://127.0.0.1:9';
    const key = accountKeyFor(serviceUrl, 7, true);
    const account = { version: 1, key, serviceUrl, userId: 7, name: 'demo', isDemo: true, user: { id: 7 } };
    writeFileSync(path.join(computer().storage, 'accounts', `${key}.json`), JSON.stringify(account));
    const session = { version: 1, account: key, apiKey: 'the-key-of-a-demo' };
    await computer().secretStorage().store(`gpuRental.session.${key}`, JSON.stringify(session));
    // A file stands where the demo keeps its folder.
    writeFileSync(path.join(computer().storage, 'demo'), '');
    window.clearToasts();
    window.run('Try the Demo Marketplace');
    await window.toast(/could not start/);
    await computer().rest();
    await window.view('instances').row('worker');
    window.run('Switch Account…');
    await window.quick.row(/^(?!Demo).*active/);
    window.quick.escape();
    window.clearToasts();
  });
});
