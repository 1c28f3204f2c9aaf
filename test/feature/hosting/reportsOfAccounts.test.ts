import assert from 'node:assert/strict';
import { demoHostId } from '../../../src/simulator/market/machines';
import { PageDriver } from '../../support/feature/pageDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the choices in a report', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let earnings: PageDriver;

  const asked = () => computer().simulator.received('GET', /machine-earnings/);
  const machines = () => earnings.rows('machines').map(([name = '']) => name);
  const offered = () => {
    const filter = earnings.view.filters.find(({ label }) => label === 'Machine');
    return filter && 'options' in filter ? filter.options.map(({ label }) => label) : [];
  };

  before(async () => {
    window = await computer().openWindow();
    earnings = new PageDriver(window, 'earnings');
    await window.signIn();
  });

  /** Chooses a machine, name and address, closes the page so, and opens it again. */
  async function chooseAndReopen(close: () => Promise<void>): Promise<void> {
    await window.view('hosting').rows();
    window.run('Show Earnings');
    await earnings.shows('machines', () => machines().length > 1);
    await earnings.choose('Machine', machines()[0]?.slice(1) ?? '');
    await earnings.shows('that machine', () => machines().length === 1);
    await earnings.press('Show Name and Address');
    assert.match(JSON.stringify(earnings.rows('person')), /@/);
    const before = asked().length;
    const { panel } = earnings;
    await close();
    await computer().until('the page to close', () => panel.isClosed);
    window.run('Show Earnings');
    await earnings.shows('figures', ({ sections }) => sections.length > 0);
    assert.equal(asked().length, before + 1);
    assert.equal(asked()[before]?.query['machid'], undefined);
    assert.doesNotMatch(JSON.stringify(earnings.view), /@/);
    assert.deepEqual(offered(), ['All', ...machines()]);
  }

  it('end with its page', async () => {
    await chooseAndReopen(() => {
      earnings.panel.close();
      return Promise.resolve();
    });
  });

  it('are not those of another account', async () => {
    const { simulator } = computer();
    const { world } = simulator;
    const hostId = world.market.machines.find((machine) => machine.hostId !== demoHostId)?.hostId;
    assert.ok(hostId !== undefined);
    const other = world.addAccount({ email: 'other@example.com', hostId });
    const { json } = await simulator.call('POST', '/__sim/keys/', { account_id: other.id });
    const mine = machines();
    earnings.panel.close();
    await chooseAndReopen(async () => {
      await window.signIn((json as { key: string }).key);
      await window.view('account').row('other@example.com');
      await window.view('hosting').rows();
    });
    assert.deepEqual(
      machines().filter((name) => mine.includes(name)),
      [],
    );
  });
});
