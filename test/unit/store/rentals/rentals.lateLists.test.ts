import assert from 'node:assert/strict';
import { ServiceFailedError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import type { StartEvent } from '../../../../src/store/rentals/startEvent';
import { anOffer } from '../../../support/builders';
import { passUntil, computerScene, type ComputerScene } from '../../../support/computerScene';
import { settle } from '../../../support/fakeClock';
import type { FakeWindow } from '../../../support/fakeWindows';
import { watchStarts } from '../../../support/startWatchScene';

const request = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch', label: 'trainer' },
  rentalType: 'on-demand' as const,
  priceLimit: fromDollars(0.4),
  mostPerHour: fromDollars(0.4),
};

describe('a rental that the list shows late', () => {
  let { service, computer } = {} as ComputerScene;
  const events: StartEvent[] = [];

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ offers: [anOffer()] }));
    events.length = 0;
  });
  afterEach(() => computer.dispose());

  async function open(isFocused: boolean): Promise<FakeWindow> {
    const window = await computer.openSignedIn();
    window.focus.isFocused = isFocused;
    const { readiness } = watchStarts(computer, window);
    readiness.onDidHappen((event) => events.push(event));
    window.fleet.setInterest({ viewVisible: isFocused, windowFocused: isFocused });
    await pass('the first list', () => window.fleet.state.kind === 'ready', 1);
    return window;
  }

  const pass = (what: string, holds: () => boolean, stepMs: number) =>
    passUntil(computer, what, holds, stepMs);

  for (const lagMs of [5000, 30_000, 90_000]) {
    for (const isFocused of [true, false]) {
      for (const count of [1, 2]) {
        const where = `${count} window${count > 1 ? 's' : ''}${isFocused ? '' : ' without focus'}`;
        it(`by ${lagMs / 1000} s has its row at once and is ready once, in ${where}`, async () => {
          const windows = [await open(isFocused)];
          if (count > 1) {
            windows.push(await open(false));
          }
          const appearsAt = computer.clock.now() + lagMs;
          service.isListed = () => computer.clock.now() >= appearsAt;
          const begun = computer.clock.now();
          await windows.at(-1)?.rentals.rent(request);
          await settle();
          assert.equal(computer.clock.now(), begun);
          for (const { fleet } of windows) {
            const row = fleet.find(6001);
            assert.match(row?.label ?? '', /^trainer/);
            assert.equal(row?.totalPerHour, fromDollars(0.4));
          }
          await computer.clock.advance(2000);
          service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
          await pass('ready', () => events.length > 0, 1000);
          assert.ok(computer.clock.now() - begun < 20_000, String(computer.clock.now() - begun));
          for (let passed = 0; passed < 3 * 60_000; passed += 5000) {
            await computer.clock.advance(5000);
            for (const { fleet } of windows) {
              assert.equal(fleet.find(6001)?.actualStatus, 'running');
            }
          }
          assert.deepEqual(events, [{ kind: 'ready', instanceId: 6001 }]);
        });
      }
    }
  }

  it('fails with its own record', async () => {
    const window = await open(true);
    service.isListed = () => false;
    await window.rentals.rent(request);
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'offline' }));
    await pass('failed', () => events.length > 0, 1000);
    assert.deepEqual(events, [{ kind: 'failed', instanceId: 6001, reason: 'offline', hadData: false }]);
  });

  it('keeps its row while its record can’t be read', async () => {
    const window = await open(true);
    service.isListed = () => false;
    service.failsBefore('instances.get', () => new ServiceFailedError({ route: 'GET', status: 500 }));
    await window.rentals.rent(request);
    for (let passed = 0; passed < 5 * 60_000; passed += 5000) {
      await computer.clock.advance(5000);
      assert.ok(window.fleet.find(6001));
    }
    service.before = () => undefined;
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
    await pass('ready', () => events.some(({ kind }) => kind === 'ready'), 1000);
  });

  it('is held against the price of its record, not the one that was rented', async () => {
    const window = await open(true);
    service.isListed = () => false;
    service.after = (call) => {
      if (call === 'offers.rent') {
        service.instances = service.instances.map((one) => ({ ...one, totalPerHour: fromDollars(0.9) }));
      }
    };
    await window.rentals.rent(request);
    await pass('too dear', () => events.some(({ kind }) => kind === 'tooDear'), 1000);
    assert.equal(service.count('instances.destroy'), 1);
  });

  it('loses its row once it was destroyed', async () => {
    const window = await open(true);
    service.isListed = () => false;
    await window.rentals.rent(request);
    await pass('its record', () => window.fleet.find(6001)?.isExpected === undefined, 1000);
    service.instances = [];
    await pass('no row', () => window.fleet.find(6001) === undefined, 1000);
  });
});
