import type { MachineManner } from '../../../src/simulator/login/manners';
import type { Computer } from './computer';
import { registerKey } from './reachable';
import { evenPrices, newInstance, rentNow, searchAndReview } from './rentDriver';
import type { FeatureWindow } from './window';

/** What is offered for a machine that is not what was rented. */
export const replaceable = ['Replace', 'Connect', 'Keep It'];

/** A signed-in window, whose key is registered. */
export async function openToRent(computer: Computer): Promise<FeatureWindow> {
  await registerKey(computer);
  await evenPrices(computer);
  const window = await computer.openSignedIn();
  return window;
}

/** Rents a machine that behaves so when it is logged in to; its id. */
export async function rentWith(
  window: FeatureWindow,
  manner: MachineManner,
  offer = '1x 3090',
  row = /1× RTX 3090/,
): Promise<number> {
  const { computer } = window;
  window.clearToasts();
  computer.simulator.orders.behave(manner, 1);
  await searchAndReview(window, offer, row);
  const { id } = await newInstance(computer, () => rentNow(window));
  return id;
}

/** Everything that was rented is gone, and the list shows it. */
export async function endAll(window: FeatureWindow): Promise<void> {
  const { simulator } = window.computer;
  for (const { id } of simulator.world.instances) {
    await simulator.call('DELETE', `/api/v0/instances/${id}/`, {});
  }
  window.run('Refresh');
  await window.computer.pass(60_000);
  window.clearToasts();
}

export const machineTooltip = (window: FeatureWindow, id: number): Promise<string> =>
  window.view('instances').tooltip(new RegExp(`#${id}`));
