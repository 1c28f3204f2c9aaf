import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  GoneError,
  NotReachableError,
  NotSentError,
  RateLimitedError,
  RefusedError,
  RentOutcomeUnknownError,
  ServiceFailedError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import { AccountChangedError } from '../../../../src/store/accounts/sameAccount';
import { text } from '../../../../src/util/text';
import { anInstance, anOffer, aUser } from '../../../support/builders';
import { passUntil, windowScene, type WindowScene } from '../../../support/computerScene';
import { rentalRequest as request } from '../../../support/rentalRequest';
import { until } from '../../../support/until';

describe('a rental that was refused or not answered', () => {
  let { service, computer, window } = {} as WindowScene;

  beforeEach(async () => {
    ({ service, computer, window } = await windowScene({ offers: [anOffer()] }));
  });
  afterEach(() => computer.dispose());

  for (const refusal of [
    new UnauthorizedError({ status: 401 }),
    new RefusedError({ status: 409, serviceText: 'Conflict' }),
    new GoneError({ status: 410 }),
    new RateLimitedError({ status: 429 }),
  ]) {
    it(`compares the list before it reports ${refusal.name}, and keeps what took effect`, async () => {
      service.failsAfter('offers.rent', () => refusal);
      const result = await window.rentals.rent(request);
      assert.equal(result.kind, 'rented');
      assert.equal(result.instanceId, 6001);
      assert.equal(result.warning, refusal.serviceText ?? '');
      assert.equal(window.rentals.find(6001)?.phase.kind, 'waiting');
      assert.equal(service.count('offers.rent'), 1);
      assert.equal(
        computer.log.count(`warn The rental ${result.rental.marker} was refused and took effect`),
        1,
      );
    });
  }

  for (const unsent of [new NotReachableError(), new NotSentError(text('Not sent.'))]) {
    it(`compares nothing where nothing was sent: ${unsent.name}`, async () => {
      let lists = 0;
      service.before = (call) => {
        if (call === 'offers.rent') {
          lists = service.count('instances.list');
          throw unsent;
        }
      };
      await assert.rejects(window.rentals.rent(request), unsent);
      assert.equal(service.count('instances.list'), lists);
    });
  }

  it('is not sent once ten minutes passed since it was confirmed, as where the computer slept', async () => {
    const { clock } = computer;
    const agreedAt = clock.now();
    service.wait = () => clock.advance(11 * 60_000);
    await assert.rejects(window.rentals.rent(request, { agreedAt }), /could not be sent within 10 minutes/);
    assert.deepEqual(service.rented, []);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'notRented');
    service.wait = () => clock.advance(9 * 60_000);
    assert.equal((await window.rentals.rent(request, { agreedAt: clock.now() })).kind, 'rented');
  });

  it('is not sent for another account than the one it was confirmed for', async () => {
    service.wait = async () => {
      service.user = aUser({ id: 8 });
      await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
    };
    const agreedAt = computer.clock.now();
    await assert.rejects(window.rentals.rent(request, { agreedAt }), AccountChangedError);
    assert.deepEqual(service.rented, []);
  });

  it('reports a refusal although the list can’t be compared', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        service.before = () => {
          throw new ServiceFailedError();
        };
        throw new GoneError();
      }
    };
    await assert.rejects(window.rentals.rent(request), GoneError);
    assert.equal(computer.log.count('warn The instances could not be compared with a refused rental'), 1);
  });

  it('may be sent again only where the list does not have it', async () => {
    const answers: (boolean | undefined)[] = [];
    const rent: typeof service.client.offers.rent = async (_id, { label = '' }, options) => {
      answers.push(await options?.beforeAgain?.());
      service.instances.push(anInstance({ id: 7777, label }));
      answers.push(await options?.beforeAgain?.());
      return { instanceId: 7777, confirmed: true };
    };
    Object.assign(service.client.offers, { rent });
    await window.rentals.rent(request);
    assert.deepEqual(answers, [true, false]);
  });

  it('finds in a later list what was refused and took effect', async () => {
    service.failsBefore('offers.rent', () => new GoneError());
    await assert.rejects(window.rentals.rent(request), GoneError);
    service.before = () => undefined;
    const marker = window.rentals.rentals[0]?.marker ?? '';
    service.instances.push(anInstance({ id: 7777, label: `training [gr-${marker}]` }));
    await window.fleet.refresh();
    await until('it is found', () => window.rentals.find(7777)?.phase.kind === 'waiting', { everyMs: 1 });
  });

  it('is looked for at the next start, however late, and though the disk refuses the file of another', async () => {
    service.before = (call) => (call === 'offers.rent' ? new Promise(() => undefined) : undefined);
    void window.rentals.rent(request).catch(() => undefined);
    await until('it is sent', () => service.count('offers.rent') === 1, { everyMs: 1 });
    const marker = window.rentals.rentals[0]?.marker ?? '';
    await mkdir(
      join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals', '00000000.json'),
    );
    window.close();
    service.before = () => undefined;
    await computer.clock.advance(30 * 60_000);
    service.instances.push(anInstance({ id: 7777, label: `training [gr-${marker}]` }));
    const next = await computer.openSignedIn();
    await passUntil(computer, 'it is found', () => next.rentals.find(7777)?.phase.kind === 'waiting');
  });

  it('is not given up before a minute has passed here, at any time of the clock', async () => {
    service.before = (call) => (call === 'offers.rent' ? new Promise(() => undefined) : undefined);
    void window.rentals.rent(request).catch(() => undefined);
    await until('it is sent', () => service.count('offers.rent') === 1, { everyMs: 1 });
    window.close();
    service.before = () => undefined;
    const next = await computer.openSignedIn();
    const kind = () => next.rentals.rentals[0]?.phase.kind;
    await until('it is not known', async () => {
      await next.fleet.refresh();
      return kind() === 'notKnown';
    });
    await next.fleet.refresh();
    computer.clock.jump(3_600_000);
    await next.fleet.refresh();
    await computer.clock.advance(1000);
    assert.equal(kind(), 'notKnown');
    await computer.clock.advance(90_000);
    assert.equal(kind(), 'notRented');
  });

  it('is refused here where it is interruptible and has no bid', async () => {
    const rent = window.rentals.rent({ ...request, rentalType: 'interruptible' });
    await assert.rejects(rent, /needs a bid/);
    assert.equal(service.count('offers.rent'), 0);
    assert.deepEqual(window.rentals.rentals, []);
  });

  describe('where the clock is set while the outcome is looked for', () => {
    for (const hours of [1, -1, 24]) {
      it(`finds what turns up within the minute (${hours} h)`, async () => {
        service.failsBefore('offers.rent', () => new RentOutcomeUnknownError());
        const rent = window.rentals.rent(request);
        await until('it is not known', () => window.rentals.rentals[0]?.phase.kind === 'notKnown', {
          everyMs: 1,
        });
        computer.clock.jump(hours * 3_600_000);
        await computer.clock.advance(1000);
        assert.equal(window.rentals.rentals[0]?.phase.kind, 'notKnown');
        await computer.clock.advance(30_000);
        const marker = window.rentals.rentals[0].marker;
        service.instances.push(anInstance({ id: 7777, label: `training [gr-${marker}]` }));
        const result = await computer.clock.through(rent);
        assert.equal(result.kind, 'rented');
      });
    }
  });
});
