import assert from 'node:assert/strict';
import { prepareProduct } from '../support/fakeEditor/product';
import { Computer } from '../support/feature/computer';
import { PageDriver } from '../support/feature/pageDriver';
import type { Figure } from './figure';

/** The rarest read comes once an hour. */
const minutes = 60;

/**
 * Counts the requests that the page of an instance adds while it is open and while it is hidden. Product and service run
 * by one clock that is set forward, so the figures are exact and the same on every machine.
 */
export async function measurePage(): Promise<Figure[]> {
  prepareProduct();
  const computer = await Computer.start({});
  try {
    await computer.rentRunning({ label: 'trainer' });
    const window = await computer.openSignedIn();
    await window.view('instances').row('trainer');
    const requests = async () => {
      const before = computer.simulator.received().length;
      await computer.pass(minutes * 60_000);
      return computer.simulator.received().length - before;
    };
    // What the start of the window causes is over by then.
    await requests();
    const without = await requests();
    assert.ok(without > 0, 'the list is read');
    await window.view('instances').click('trainer');
    const page = new PageDriver(window, 'instance');
    await page.shows('the instance', ({ title }) => title === 'trainer');
    const open = await requests();
    page.panel.setVisible(false);
    const hidden = await requests();
    const added = (name: string, count: number): Figure => ({
      name: `requests to the service that ${name} page adds in an hour`,
      value: String(count - without),
      aim: '≤ 0',
      // The gate compares with none, so it fails at the first.
      ratio: Math.max(0, count - without),
    });
    return [added('an open', open), added('a hidden', hidden)];
  } finally {
    await computer.close();
  }
}
