import assert from 'node:assert/strict';
import { askForMore, setCredit } from '../support/feature/serviceSide';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('warnings', () => {
  const computer = useComputer({ settings: { 'gpuRental.warn.idleHours': 0.25 } });
  let window: FeatureWindow;
  let id: number;
  let increase: number;
  const instances = () => window.view('instances');
  const received = (method: string, path: RegExp) => computer().simulator.received(method, path);
  const set = (body: object) => computer().simulator.call('PUT', `/__sim/instances/${id}/`, body);

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    await setCredit(computer(), 500);
    increase = await askForMore(computer(), id, 20);
    window = await computer().openSignedIn();
    await instances().row('trainer');
  });

  it('name a higher price with the old one, and accept it only after a question', async () => {
    const asked = /host of trainer asks for a higher price: \$\d+\.\d+\/h now, \$20\.00\/h if you accept/;
    await window.toastButton(asked, 'Accept');
    const { text, detail } = await window.dialog();
    assert.match(`${text} ${detail}`, /\$20\.00\/h if you accept/);
    assert.match(`${text} ${detail}`, /That adds \$\d+\.\d+\/day while the instance runs/);
    assert.deepEqual(received('PUT', /price-increase/), []);
    await window.dialogButton('Accept');
    await window.toast(/The price of trainer rises to \$20\.00\/h/);
    assert.deepEqual(
      received('PUT', /price-increase/).map(({ path, body }) => [path, body]),
      [['/api/v0/instances/accept-price-increase/', { pending_price_increase_id: increase }]],
    );
    await instances().row(/trainer.*\$20\.\d+\/h/);
  });

  it('let a price increase be rejected from the palette later, too', async () => {
    window.clearToasts();
    const next = await askForMore(computer(), id, 30);
    window.run('Review Price Increases…');
    await window.quick.title('Review Price Increases');
    assert.match(window.quick.rows()[0] ?? '', /Accept: trainer.*\$20\.00\/h → \$30\.00\/h/);
    await window.quick.pick(/Reject: trainer/);
    assert.match((await window.dialog()).text, /Reject the higher price of “trainer”\?/);
    await window.dialogButton('Reject');
    await window.toast(/higher price of trainer is rejected/);
    assert.deepEqual(
      received('PUT', /reject-price-increase/).map(({ body }) => body),
      [{ pending_price_increase_id: next }],
    );
    window.clearToasts();
    window.run('Review Price Increases…');
    await window.toast(/No host asks for a higher price/);
  });

  it('name an unused instance, in just those words, and lead to a stop', async () => {
    window.clearToasts();
    await set({ gpu_util: 1 });
    const since = computer().clock.elapsed();
    const idle = /^trainer has been idle for 1\d min: no connection from GPU Rental on this computer/;
    const { text } = await window.toast(idle, { withinMs: 25 * minute });
    assert.ok(computer().clock.elapsed() - since >= 14 * minute);
    assert.match(text, /GPU use under 5 % at each check\. It costs \$20/);
    await window.toastButton(idle, 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    window.quick.escape();
  });

  it('name a host that ends the contract, with ways to save the data, a day and an hour before', async () => {
    window.clearToasts();
    const endsAt = computer().clock.now() + 5 * 60 * minute + 5 * minute;
    await set({ end_date: endsAt / 1000 });
    await window.toast(/The host ends the rental of trainer in 5 h.*, at .* may be deleted 48 h later/);
    const { buttons } = await window.toast(/The host ends the rental/);
    assert.deepEqual(buttons, ['Download…', 'Connect', 'Rent Another Like This…']);
    await instances().row(/trainer.*rental ends in 5 h/);
    window.clearToasts();
    await set({ end_date: (endsAt - 4 * 60 * minute - 10 * minute) / 1000 });
    await window.toast(/The host ends the rental of trainer in 5\d min/);
    await set({ end_date: computer().clock.now() / 1000 + 90 * 24 * 3600 });
  });

  it('name credit that ends soon, and lead to a stop that asks', async () => {
    window.clearToasts();
    await setCredit(computer(), 60);
    await window.toastButton(/At the current cost, your credit lasts .*h/, 'Stop Instances…');
    await window.quick.title('Stop');
    window.quick.escape();
  });

  it('report once that credit is used up, and mark the rows until it is not', async () => {
    window.clearToasts();
    await setCredit(computer(), 0);
    window.run('Refresh');
    // The simulator has no page to add credit on.
    assert.deepEqual((await window.toast(/Your credit is used up/)).buttons, []);
    await instances().row(/trainer.*no credit left/);
    await setCredit(computer(), 500);
    window.run('Refresh');
    await computer().until('rows without the note', async () =>
      (await instances().rows()).every(({ text }) => !text.includes('no credit')),
    );
  });

  it('name an instance that was stopped long ago, and lead to a question before it is destroyed', async () => {
    window.clearToasts();
    await instances().menu('trainer', 'Stop…');
    await window.dialogButton('Stop');
    await instances().row(/trainer.*Stopped|Stopped.*trainer/);
    await setCredit(computer(), 500);
    window.clearToasts();
    computer().clock.jump(7 * day - 10 * minute);
    window.run('Refresh');
    await computer().pass(5 * minute);
    assert.deepEqual(window.toasts(), []);
    const stopped = /trainer has been stopped for 7 d\..*Storage still costs \$\d+\.\d+\/day/;
    await window.toastButton(stopped, 'Destroy…');
    await window.dialogButton('Cancel');
    assert.deepEqual(received('DELETE', /instances/), []);
  });

  it('name one that was stopped elsewhere, too', async () => {
    const other = await computer().rentRunning({ label: 'elsewhere' });
    await computer().simulator.call('PUT', `/api/v0/instances/${other}/`, { state: 'stopped' });
    window.run('Refresh');
    await instances().row(/elsewhere.*Stopped|Stopped.*elsewhere/);
    await setCredit(computer(), 500);
    window.clearToasts();
    computer().clock.jump(7 * day);
    window.run('Refresh');
    await window.toast(/elsewhere has been stopped for 7 d/);
    await window.toast(/trainer has been stopped for 14 d/);
    await computer().simulator.call('DELETE', `/api/v0/instances/${other}/`);
    window.run('Refresh');
    await computer().until('the row to go', async () =>
      (await instances().rows()).every(({ text }) => !text.includes('elsewhere')),
    );
    await window.toast(/elsewhere no longer exists/);
  });

  it('are each shown once, and in the window in use alone', async () => {
    window.clearToasts();
    for (let turn = 0; turn < 2; turn += 1) {
      window.run('Refresh');
      await computer().pass(5 * minute);
    }
    assert.deepEqual(window.toasts(), []);
    const other = await computer().openWindow();
    other.focus();
    await computer().pass(5 * minute);
    assert.deepEqual(
      other.screen.messages.history.map(({ text }) => text),
      [],
    );
    const texts = window.screen.messages.history
      .filter(({ kind, modal }) => kind === 'warning' && !modal)
      .map(({ text }) => text);
    assert.equal(texts.length, new Set(texts).size);
  });
});

describe('an instance whose rental has ended', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const instances = () => window.view('instances');

  before(async () => {
    const id = await computer().rentRunning({ label: 'trainer' });
    window = await computer().openSignedIn();
    await instances().row(/trainer.*Running/);
    await computer().simulator.call('PUT', `/__sim/instances/${id}/`, {
      end_date: computer().clock.now() / 1000 + 1,
      actual_status: 'exited',
    });
  });

  it('is announced by one message that counts down to the deletion of its data', async () => {
    const { text, buttons } = await window.toast(/The rental of trainer ended at/);
    assert.match(text, /Its data may be deleted in 1 d 23 h, at Sat/);
    assert.deepEqual(buttons, ['Rent Another Like This…', 'Destroy…']);
    const { history } = window.screen.messages;
    assert.deepEqual(
      history.filter((one) => one.text.includes('has exited')),
      [],
    );
  });

  it('can have its data copied away where it was stopped in order', async () => {
    const id = await computer().rentRunning({ label: 'store' });
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    window.run('Refresh');
    await instances().row(/store.*Stopped/);
    await computer().simulator.call('PUT', `/__sim/instances/${id}/`, {
      end_date: computer().clock.now() / 1000 + 60,
    });
    window.run('Refresh');
    const soon = await window.toast(/The host ends the rental of store/);
    assert.deepEqual(soon.buttons, ['Download…', 'Start…', 'Copy Data…', 'Rent Another Like This…']);
    await computer().pass(2 * minute);
    const { buttons } = await window.toast(/The rental of store ended at/);
    assert.deepEqual(buttons, ['Download…', 'Copy Data…', 'Rent Another Like This…', 'Destroy…']);
    window.clearToasts();
    await instances().row(/store.*expired/);
    await assert.rejects(instances().menu(/store/, 'Start…'));
    window.start('gpuRental.instance.start', { instanceId: id });
    const ended = await window.toast("The rental of store has ended, so it can't be started again.");
    assert.deepEqual(ended.buttons, ['Copy Data…', 'Rent Another Like This…']);
    // No price of a start is asked for before.
    window.clearToasts();
    window.start('gpuRental.instance.connect', { instanceId: id });
    await window.toast("The rental of store has ended, so it can't be started again.");
  });

  it('counts down in its row and tooltip', async () => {
    await instances().row(/trainer.*expired, data kept for 1 d 23 h/);
    computer().clock.jump(46 * 60 * minute);
    window.run('Refresh');
    await instances().row(/trainer.*expired, data kept for 1 h/);
    assert.match(await instances().tooltip('trainer'), /Rental ended.*Data.*kept until .*for 1 h/s);
    computer().clock.jump(2 * 60 * minute);
    window.run('Refresh');
    await instances().row(/trainer.*expired, data can be deleted at any time/);
  });
});
