import assert from 'node:assert/strict';
import { ForbiddenError } from '../../../../src/api/errors';
import { fromDollars, micros } from '../../../../src/model/money';
import type { RentConfig } from '../../../../src/model/rentals/rent';
import { PriceGuard } from '../../../../src/store/rentals/priceGuard';
import { anInstance, anOffer } from '../../../support/builders';
import { passUntil, computerScene, type ComputerScene } from '../../../support/computerScene';
import { watchStarts } from '../../../support/startWatchScene';
import { until } from '../../../support/until';

describe('the price of a new instance', () => {
  let { service, computer } = {} as ComputerScene;

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ offers: [anOffer()] }));
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await computer.openSignedIn();
    const { events } = watchStarts(computer, window);
    window.fleet.setInterest({ viewVisible: true, windowFocused: true });
    return { ...window, events };
  }

  type Window = Awaited<ReturnType<typeof open>>;

  const rent = (window: Window, most: number | undefined, config: Partial<RentConfig> = {}) =>
    window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch', ...config },
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
      ...(most === undefined ? {} : { mostPerHour: fromDollars(most) }),
    });

  it('ends the instance of its account though another one is active when the request leaves', async () => {
    const { instances } = service.client;
    const destroy = instances.destroy.bind(instances);
    const asked: boolean[] = [];
    instances.destroy = (id, options) => {
      asked.push(options?.isStillWanted !== undefined);
      return destroy(id, options);
    };
    const window = await open();
    await rent(window, 0.35);
    await passUntil(computer, 'it is ended', () => window.events.length > 0);
    // Without it a write is refused unless its account is active.
    assert.deepEqual(asked, [true]);
  });

  it('ends the instance in one window if it is above what was confirmed, with a message', async () => {
    const windows = [await open(), await open()];
    const [first] = windows;
    assert.ok(first);
    // The record of the fake service states 0.40 an hour.
    await rent(first, 0.35);
    await passUntil(computer, 'it is told', () => windows.some(({ events }) => events.length > 0), 2000);
    assert.deepEqual(service.instances, []);
    assert.equal(service.count('instances.destroy'), 1);
    assert.deepEqual(
      windows.flatMap(({ events }) => events),
      [
        {
          kind: 'tooDear',
          instanceId: 6001,
          pricePerHour: fromDollars(0.4),
          mostPerHour: fromDollars(0.35),
          verdict: 'destroyed',
        },
      ],
    );
  });

  it('is reported as not confirmed, with the reason in the log, if the service refuses to end the instance', async () => {
    const window = await open();
    service.failsBefore('instances.destroy', () => new ForbiddenError());
    await rent(window, 0.35);
    await passUntil(computer, 'it is told', () => window.events.length > 0);
    assert.deepEqual(
      window.events.map((event) => event.kind === 'tooDear' && event.verdict),
      ['notConfirmed'],
    );
    assert.equal(computer.log.count('error The price of 6001 could not be held against'), 1);
  });

  it('may be off by a hundredth, or by a tenth of a cent where that is more', async () => {
    const { accounts, fleet, rentals } = await open();
    const { clock, log } = computer;
    const { rental } = await rentals.rent({
      offer: anOffer(),
      config: { image: 'i', targetState: 'stopped' },
      rentalType: 'on-demand',
      priceLimit: fromDollars(1),
    });
    for (const [most, total, isDear] of [
      [50_000, 51_000, false],
      [50_000, 51_001, true],
      [200_000, 202_000, false],
      [200_000, 202_001, true],
    ] as const) {
      let isAccepted = false;
      const notified: unknown[] = [];
      const accept = () => {
        isAccepted = true;
        return Promise.resolve();
      };
      const deps = { accounts, clock, log, accept, notify: (found: object) => notified.push(found) };
      const hasRun = { ...fleet, facts: () => ({ readyAt: 1 }) };
      const guard = new PriceGuard({ ...deps, fleet: hasRun });
      const priced = anInstance({ id: 6001, totalPerHour: micros.parse(total) });
      guard.check({ ...rental, mostPerHour: micros.parse(most) }, priced, undefined);
      await computer.clock.advance(0);
      assert.deepEqual([isAccepted, notified.length], [true, isDear ? 1 : 0], `${total} of ${most}`);
    }
  });

  it('ends it, with a message, if the window that began to was killed', async () => {
    const first = await open();
    const { client } = service;
    const destroy = client.instances.destroy.bind(client.instances);
    client.instances.destroy = () => new Promise(() => undefined);
    await rent(first, 0.35);
    await computer.clock.advance(20_000);
    first.owned.dispose();
    client.instances.destroy = destroy;
    const next = await open();
    await passUntil(computer, 'it is told', () => next.events.length > 0, 2000);
    assert.deepEqual(service.instances, []);
    assert.deepEqual(
      next.events.map(({ kind }) => kind),
      ['tooDear'],
    );
  });

  it('ends one that was rented as stopped as well, and keeps one whose price is right', async () => {
    const window = await open();
    await rent(window, 0.4, { targetState: 'stopped' });
    await rent(window, 0.35, { targetState: 'stopped' });
    await passUntil(computer, 'it is told', () => window.events.length > 0, 2000);
    assert.deepEqual(
      service.instances.map(({ id }) => id),
      [6001],
    );
    assert.deepEqual(
      window.events.map((event) => event.kind === 'tooDear' && [event.instanceId, event.verdict]),
      [[6002, 'destroyed']],
    );
  });

  describe('that is stated late', () => {
    const hour = 3_600_000;
    let isPriced: boolean;
    beforeEach(() => {
      isPriced = false;
      service.before = () => {
        for (const one of service.instances) {
          Reflect.deleteProperty(one, 'totalPerHour');
          Object.assign(one, isPriced ? { totalPerHour: fromDollars(0.4) } : {});
        }
      };
    });

    /** States the price, and returns what became of an instance that costs more than confirmed. */
    async function verdictOf({ events }: Window) {
      isPriced = true;
      const verdicts = () => events.flatMap((event) => (event.kind === 'tooDear' ? event.verdict : []));
      await passUntil(computer, 'it is told', () => verdicts().length > 0);
      await computer.clock.advance(60_000);
      return { verdicts: verdicts(), destroyed: service.count('instances.destroy') };
    }
    const kept = { verdicts: ['kept'], destroyed: 0 };

    it('ends one that was watched all the while', async () => {
      const window = await open();
      await rent(window, 0.35);
      await computer.clock.advance(10 * 60_000);
      assert.deepEqual(await verdictOf(window), { verdicts: ['destroyed'], destroyed: 1 });
    });

    for (const [what, sleep] of [
      ['the computer slept', (window: Window) => window],
      ['no window was open', (window: Window) => (window.owned.dispose(), open())],
    ] as const) {
      it(`keeps one that may have run while ${what}`, async () => {
        const first = await open();
        await rent(first, 0.35);
        await computer.clock.advance(20_000);
        computer.clock.jump(3 * hour);
        assert.deepEqual(await verdictOf(await sleep(first)), kept);
      });
    }

    it('leaves one that has run before its price is stated, with one message', async () => {
      const first = await open();
      await rent(first, 0.35);
      service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
      await computer.clock.advance(30_000);
      assert.deepEqual(
        first.events.map(({ kind }) => kind),
        ['ready'],
      );
      isPriced = true;
      await computer.clock.advance(6 * 60_000);
      first.owned.dispose();
      const next = await open();
      await computer.clock.advance(6 * 60_000);
      assert.equal(service.count('instances.destroy'), 0);
      const notified = [...first.events, ...next.events].flatMap((event) =>
        event.kind === 'tooDear' ? event.verdict : [],
      );
      assert.deepEqual(notified, ['kept']);
    });

    it('keeps one that was found hours after its window was killed', async () => {
      const first = await open();
      service.after = (call) => (call === 'offers.rent' ? new Promise(() => undefined) : undefined);
      void rent(first, 0.35).catch(() => undefined);
      await until('it is rented', () => service.instances.length === 1);
      first.owned.dispose();
      computer.clock.jump(3 * hour);
      assert.deepEqual(await verdictOf(await open()), kept);
    });

    it('keeps one that was rented as stopped and not looked at since', async () => {
      const first = await open();
      await rent(first, 0.35, { targetState: 'stopped' });
      first.owned.dispose();
      computer.clock.jump(3 * hour);
      assert.deepEqual(await verdictOf(await open()), kept);
    });

    it('keeps one that was rented as stopped and that the user started', async () => {
      const window = await open();
      const result = await rent(window, 0.35, { targetState: 'stopped' });
      assert.equal(result.kind, 'rented');
      window.fleet.note(result.instanceId, { kind: 'start' });
      await computer.clock.advance(10_000);
      assert.deepEqual(await verdictOf(window), kept);
    });
  });

  it('keeps one that costs what was confirmed, rounding left aside, or that was confirmed without a price', async () => {
    const window = await open();
    for (const most of [0.4, 0.3995, undefined]) {
      await rent(window, most);
      await computer.clock.advance(60_000);
    }
    assert.equal(service.instances.length, 3);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('looks at the first price alone: what is agreed on later is no reason', async () => {
    const window = await open();
    await rent(window, 0.4);
    await computer.clock.advance(20_000);
    service.instances = service.instances.map((one) => ({ ...one, totalPerHour: fromDollars(2) }));
    await computer.clock.advance(60_000);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('looks once over all windows and restarts, so that a later bid of the user ends nothing', async () => {
    const first = await open();
    await rent(first, 0.4);
    await computer.clock.advance(20_000);
    first.owned.dispose();
    service.instances = service.instances.map((one) => ({ ...one, totalPerHour: fromDollars(2) }));
    await open();
    await computer.clock.advance(60_000);
    assert.equal(service.count('instances.destroy'), 0);
    assert.equal(service.instances.length, 1);
  });
});
