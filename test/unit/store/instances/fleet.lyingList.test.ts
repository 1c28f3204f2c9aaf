import assert from 'node:assert/strict';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { anInstance, anOffer } from '../../../support/builders';
import { passUntil, computerScene, type ComputerScene } from '../../../support/computerScene';
import { watchStarts } from '../../../support/startWatchScene';

describe('a list that lacks an instance by mistake', () => {
  let { service, computer } = {} as ComputerScene;
  let hidden: Instance[] = [];

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ offers: [anOffer()] }));
    hidden = [];
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await computer.openSignedIn();
    window.fleet.setInterest({ viewVisible: true, windowFocused: true });
    await passUntil(computer, 'the first list', () => window.fleet.state.kind === 'ready', 1000);
    return window;
  }
  const hide = () => {
    hidden = service.instances;
    service.instances = [];
  };
  const show = () => {
    service.instances = [...hidden, ...service.instances];
  };

  it('keeps the row, marked, and lets it go after a second list some seconds later', async () => {
    service.instances = [anInstance()];
    const window = await open();
    const other = await computer.openSignedIn();
    hide();
    await window.fleet.refresh();
    await window.fleet.refresh();
    for (const { fleet } of [window, other]) {
      assert.ok(fleet.state.kind === 'ready');
      assert.deepEqual(fleet.state.value.unconfirmed, [5001]);
      assert.ok(fleet.find(5001));
      assert.equal(fleet.hasEnded(5001), false);
    }
    await computer.clock.advance(6000);
    for (const { fleet } of [window, other]) {
      assert.ok(fleet.state.kind === 'ready');
      assert.deepEqual(fleet.state.value, { instances: [], skipped: 0 });
      assert.equal(fleet.hasEnded(5001), true);
    }
  });

  it('is forgotten when the next list has it', async () => {
    service.instances = [anInstance()];
    const window = await open();
    hide();
    await window.fleet.refresh();
    show();
    await computer.clock.advance(6000);
    assert.ok(window.fleet.state.kind === 'ready');
    assert.equal(window.fleet.state.value.unconfirmed, undefined);
    assert.equal(window.fleet.state.value.instances.length, 1);
  });

  it('is not proved by partial lists', async () => {
    service.instances = [anInstance()];
    const window = await open();
    Object.assign(service.client.instances, { list: () => Promise.resolve({ items: [], skipped: 1 }) });
    await window.fleet.refresh();
    await computer.clock.advance(120_000);
    assert.equal(window.fleet.hasEnded(5001), false);
    assert.ok(window.fleet.find(5001));
  });

  it('does not end the watch of a machine that starts, and keeps its environment', async () => {
    const window = await open();
    const { readiness, events } = watchStarts(computer, window);
    const { rental } = await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch', env: { TOKEN: 'hush' } },
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    await computer.clock.advance(100_000);
    assert.equal(readiness.watches.length, 1);
    hide();
    await window.fleet.refresh();
    show();
    await computer.clock.advance(6000);
    assert.equal(readiness.watches.length, 1);
    assert.deepEqual((await window.rentals.fullConfig(rental))?.env, { TOKEN: 'hush' });
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
    await passUntil(computer, 'it is ready', () => events.length > 0);
    assert.deepEqual(events, [{ kind: 'ready', instanceId: 6001 }]);
  });

  it('keeps one that was just rented and whose record can’t be read either, and logs that', async () => {
    const window = await open();
    service.isListed = () => false;
    await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch' },
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    service.failsBefore('instances.get', () => new Error('down'));
    await window.fleet.refresh();
    assert.ok(window.fleet.find(6001));
    assert.ok(
      computer.log.count('warn The record of the new instance 6001 could not be read: Error: down') > 0,
    );
  });

  it('never proves the end of one that was just rented and is not listed yet', async () => {
    const window = await open();
    assert.equal(window.fleet.hasEnded(7001), false);
    for (let second = 0; second < 60; second += 10) {
      await window.fleet.refresh();
      await computer.clock.advance(10_000);
    }
    assert.equal(window.fleet.hasEnded(7001), false);
    await computer.clock.advance(60_000);
    await window.fleet.refresh();
    assert.equal(window.fleet.hasEnded(7001), true);
  });
});
