import assert from 'node:assert/strict';
import { confirmRental, haveKey, reviewFirst, rentalsOf, searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('two windows of one user', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.onFailure': 'replace' } });
  let windows: readonly FeatureWindow[];

  before(async () => {
    await haveKey(computer());
    const first = await computer().openWindow();
    const second = await computer().openWindow();
    windows = [first, second];
    await first.signIn();
    first.clearToasts();
  });

  const said = (text: string) =>
    windows.flatMap(({ screen }) => screen.messages.history.filter((one) => one.text.includes(text)));

  it('replace a machine that fails once, and one of them shows it', async () => {
    const { simulator } = computer();
    const [first] = windows;
    assert.ok(first);
    simulator.orders.failBoot({ outcome: 'exited', message: 'Error: no such device' });
    await searchFor(first, '4090', /RTX 4090/);
    await reviewFirst(first, /[12]× RTX 4090/);
    await confirmRental(first);
    await computer().until(
      'the replacement',
      () => rentalsOf(computer()).length === 2 && simulator.world.instances.length === 1,
    );
    assert.equal(simulator.received('DELETE', /^\/api\/v0\/instances\/\d+\/$/).length, 1);
    const id = simulator.world.instances[0]?.id;
    await computer().until('it to run', () => simulator.world.instance(id ?? 0)?.actualStatus === 'running');
    for (const window of windows) {
      await window.view('instances').row('Running');
    }
    await computer().pass(10 * 60_000);
    assert.equal(said('is ready').length, 1);
    assert.equal(said('no such device').length, 1);
    assert.equal(rentalsOf(computer()).length, 2);
    for (const window of windows) {
      window.clearToasts();
    }
  });

  it('show progress in the one in use alone, and none where that one follows the start itself', async () => {
    const { simulator } = computer();
    const [leader, other] = windows;
    const id = simulator.world.instances[0]?.id ?? 0;
    assert.ok(leader && other);
    const shown = () =>
      windows.map(
        ({ screen }) => screen.messages.history.filter(({ text }) => text.startsWith('Getting ')).length,
      );
    const before = shown();
    await leader.view('instances').menu('Running', 'Stop…');
    await leader.dialogButton('Stop');
    await other.view('instances').row('Stopped');
    for (const window of windows) {
      window.clearToasts();
    }
    other.focus();
    other.start('gpuRental.followElsewhere', { instanceId: id, follows: true });
    await other.view('instances').menu('Stopped', 'Start…');
    await other.dialogButton('Start');
    await other.view('instances').row('Running');
    assert.deepEqual(shown(), before);
    other.start('gpuRental.followElsewhere', { instanceId: id, follows: false });
    for (const window of windows) {
      window.clearToasts();
    }
  });

  it('go on when the one that asks the service is closed', async () => {
    const { simulator } = computer();
    const lists = () => simulator.received('GET', /^\/api\/v[01]\/instances\/$/).length;
    windows[0]?.close();
    windows[1]?.focus();
    const before = lists();
    await computer().until('another list', () => lists() > before, { withinMs: 2 * 60_000 });
    await windows[1]?.view('instances').row('Running');
  });
});
