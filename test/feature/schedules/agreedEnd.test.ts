import assert from 'node:assert/strict';
import type { InstanceState } from '../../../src/simulator/state';
import { newInstance, openToRent, rentNow, searchAndReview } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minuteMs = 60_000;

describe('the end of a rental', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let rented: InstanceState;
  const row = () => window.view('instances').row(`#${rented.id}`);
  const stops = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${rented.id}/`)
      .filter(({ body }) => (body as { state?: string }).state === 'stopped');
  const rowWith = (text: string) =>
    computer().until(`"${text}" in the row`, async () => (await row()).text.includes(text));

  before(async () => {
    window = await openToRent(computer());
  });

  it('is one row of the confirmation, which changes it and remembers the change', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await window.quick.pick('stops after 30 min idle; destroyed 7 d later');
    await window.quick.title('Rent: End');
    await window.quick.pick('15 min');
    await window.quick.row('stops after 15 min idle; destroyed 7 d later');
    window.quick.escape();
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await window.quick.row('stops after 15 min idle');
  });

  it('is on the row of the instance from its rental on, also where the window was closed right after', async () => {
    rented = await newInstance(computer(), () => rentNow(window));
    window.close();
    window = await computer().openSignedIn();
    await rowWith('stops when idle 15 min');
  });

  it('stops it once it was idle for so long, and not before', async () => {
    await computer().pass(40 * minuteMs);
    assert.equal(stops().length, 0);
    await computer().simulator.call('PUT', `/__sim/instances/${rented.id}/`, { gpu_util: 1 });
    const soon = /will be stopped in/;
    await window.toast(soon, { withinMs: 25 * minuteMs });
    await window.toastButton(soon, 'Keep 2 h');
    await window.toast(/stops .* if it stays idle, by an editor/);
    await computer().pass(110 * minuteMs);
    assert.equal(stops().length, 0);
    window.clearToasts();
    await window.toast(soon, { withinMs: 20 * minuteMs });
    await computer().until('the stop', () => stops().length > 0);
    await window.toast(/is stopped, as scheduled/);
    await rowWith('asks to destroy');
    assert.equal(stops().length, 1);
  });

  it('is never where the user chose so, which the row then shows', async () => {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await window.quick.pick('stops after 15 min idle');
    await window.quick.title('Rent: End');
    await window.quick.pick('Never');
    await window.quick.row('never stops by itself');
    rented = await newInstance(computer(), () => rentNow(window));
    await rowWith('never stops by itself');
  });
});
