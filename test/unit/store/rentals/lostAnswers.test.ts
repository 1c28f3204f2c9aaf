import assert from 'node:assert/strict';
import { RentOutcomeUnknownError } from '../../../../src/api/errors';
import { CancelledError } from '../../../../src/util/errors';
import { anInstance, anOffer } from '../../../support/builders';
import { passUntil, windowScene, type WindowScene } from '../../../support/computerScene';
import { rentalRequest as request } from '../../../support/rentalRequest';
import { seeded, sized, testSeed } from '../../../support/seeded';
import { until } from '../../../support/until';

describe('rentals whose answer was lost', () => {
  let { service, computer, window, through } = {} as WindowScene;

  beforeEach(async () => {
    ({ service, computer, window, through } = await windowScene({ offers: [anOffer()] }));
  });
  afterEach(() => computer.dispose());

  const loseAnswer = () => {
    service.failsAfter('offers.rent', () => new RentOutcomeUnknownError());
  };

  it('finds the instance of a lost answer by its label, at once', async () => {
    loseAnswer();
    const seen: string[] = [];
    const result = await through(
      window.rentals.rent(request, { onNotKnown: ({ phase }) => seen.push(phase.kind) }),
    );
    assert.deepEqual(seen, ['notKnown']);
    assert.equal(result.kind, 'rented');
    assert.equal(result.instanceId, 6001);
    assert.equal(service.instances.length, 1);
    assert.equal(service.count('offers.rent'), 1);
    assert.equal(computer.log.count(`warn The answer to the rental ${result.rental.marker} is not known`), 1);
  });

  it('finds an instance that turns up within the minute', async () => {
    service.failsBefore('offers.rent', () => new RentOutcomeUnknownError());
    const rent = window.rentals.rent(request);
    await until('it is not known', () => window.rentals.rentals[0]?.phase.kind === 'notKnown', {
      everyMs: 1,
    });
    await computer.clock.advance(40_000);
    const marker = window.rentals.rentals[0]?.marker ?? '';
    service.instances.push(anInstance({ id: 7777, label: `training [gr-${marker}]` }));
    const result = await through(rent);
    assert.equal(result.kind, 'rented');
    assert.equal(result.instanceId, 7777);
  });

  it('reports after a minute that nothing was rented, when the lists could be read', async () => {
    service.failsBefore('offers.rent', () => new RentOutcomeUnknownError());
    const start = computer.clock.now();
    const result = await through(window.rentals.rent(request));
    assert.equal(result.kind, 'notRented');
    assert.ok(computer.clock.now() - start >= 60_000);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('stays unconfirmed while the lists can’t be read, and is resolved later', async () => {
    loseAnswer();
    let isDown = true;
    service.before = (call) => {
      if (call === 'instances.list' && service.rented.length > 0 && isDown) {
        throw new Error('down');
      }
    };
    const settled: string[] = [];
    window.rentals.onDidSettle(({ phase }) => settled.push(phase.kind));
    const result = await through(window.rentals.rent(request), 5000);
    assert.equal(result.kind, 'notKnown');
    assert.equal(computer.log.count('warn The instances could not be read back: Error: down'), 8);
    isDown = false;
    await passUntil(computer, 'it is found', () => settled.length > 0, 10_000);
    assert.deepEqual(settled, ['waiting']);
    assert.equal(service.instances.length, 1);
  });

  it('finds it by ids before and after where records carry no label', async () => {
    service.keepsLabels = false;
    service.instances = [anInstance({ id: 5001, label: '' })];
    loseAnswer();
    const result = await through(window.rentals.rent(request));
    assert.equal(result.kind, 'rented');
    assert.equal(result.instanceId, 6001);
  });

  it('does not count instances of other rentals as its own', async () => {
    service.instances = [];
    service.before = (call) => {
      if (call === 'offers.rent') {
        service.instances.push(
          anInstance({ id: 5900, label: 'rented in the web console' }),
          anInstance({ id: 5901, label: '', machineId: 999 }),
          anInstance({ id: 5902, label: 'other [gr-00000000]' }),
        );
        throw new RentOutcomeUnknownError();
      }
    };
    const result = await through(window.rentals.rent(request));
    assert.equal(result.kind, 'notRented');
  });

  it('continues the search when the user stops waiting for a lost answer', async () => {
    service.failsBefore('offers.rent', () => new RentOutcomeUnknownError());
    const abort = new AbortController();
    const rent = window.rentals.rent(request, { signal: abort.signal });
    await until('it is not known', () => window.rentals.rentals[0]?.phase.kind === 'notKnown', {
      everyMs: 1,
    });
    await computer.clock.advance(1000);
    abort.abort(new CancelledError());
    assert.equal((await rent).kind, 'notKnown');
    await passUntil(computer, 'it is closed', () => window.rentals.rentals[0]?.phase.kind === 'notRented');
  });

  it('finds out after a restart what happened to a rental that was under way', async () => {
    service.after = (call) => (call === 'offers.rent' ? new Promise<void>(() => undefined) : undefined);
    void window.rentals.rent(request);
    await until('it took effect', () => service.rented.length === 1, { everyMs: 1 });
    window.close();
    const next = await computer.openSignedIn();
    await passUntil(
      computer,
      'it is followed',
      () => next.rentals.rentals[0]?.phase.kind === 'waiting',
      10_000,
    );
    assert.equal(next.rentals.rentals[0]?.phase.kind, 'waiting');
    assert.equal(service.instances.length, 1);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('closes, after a restart, a rental that never arrived', async () => {
    service.before = (call) => (call === 'offers.rent' ? new Promise<void>(() => undefined) : undefined);
    void window.rentals.rent(request);
    await until('it was sent', () => service.count('offers.rent') === 1, { everyMs: 1 });
    window.close();
    const next = await computer.openSignedIn();
    await passUntil(
      computer,
      'it is closed',
      () => next.rentals.rentals[0]?.phase.kind === 'notRented',
      10_000,
    );
    assert.equal(service.count('offers.rent'), 1);
  });

  it('has exactly one rental and shows its true state, in any order of faults', async () => {
    const seed = testSeed;
    const random = seeded(seed);
    const rounds = sized(25, 250);
    for (let round = 0; round < rounds; round += 1) {
      service.instances = [];
      service.rented.length = 0;
      service.keepsLabels = random() < 0.7;
      const fault = (call: string) => {
        if (call === 'offers.rent' ? random() < 0.6 : random() < 0.4) {
          throw call === 'offers.rent' ? new RentOutcomeUnknownError() : new Error('down');
        }
      };
      // Where records carry no label, somebody has to know what was there before.
      const faultIfKnown = (call: string) => {
        if (service.keepsLabels || service.count('offers.rent') > 0) {
          fault(call);
        }
      };
      service.before = faultIfKnown;
      service.after = faultIfKnown;
      service.calls.length = 0;
      const result = await through(window.rentals.rent(request), 5000);
      service.before = () => undefined;
      service.after = () => undefined;
      const end = async () => {
        await computer.clock.advance(10_000);
        const kind = window.rentals.rentals.find(({ marker }) => marker === result.rental.marker)?.phase.kind;
        return kind === 'waiting' || kind === 'notRented' ? kind : undefined;
      };
      const known = await until(`round ${round} of seed ${seed} is settled`, end, { everyMs: 1 });
      assert.ok(service.rented.length <= 1, `seed ${seed}, round ${round}: rented twice`);
      assert.equal(
        known,
        service.rented.length === 1 ? 'waiting' : 'notRented',
        `seed ${seed}, round ${round}`,
      );
    }
  });
});
