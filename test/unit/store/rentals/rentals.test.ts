import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoneError, RateLimitedError, RentOutcomeUnknownError } from '../../../../src/api/errors';
import { guardedRental } from '../../../../src/jobs/guardedRental';
import type { BudgetNow } from '../../../../src/model/budget/budget';
import { markerIn } from '../../../../src/model/instances/instanceLabel';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import { AccountChangedError } from '../../../../src/store/accounts/sameAccount';
import { OverBudgetError } from '../../../../src/store/budget/overBudget';
import { createRentals } from '../../../../src/store/rentals/rentals';
import { CancelledError } from '../../../../src/util/errors';
import { formatText, text } from '../../../../src/util/text';
import { anOffer, aUser } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';
import { rentalRequest as request } from '../../../support/rentalRequest';
import { until } from '../../../support/until';

describe('rentals', () => {
  let { service, computer, window, through } = {} as WindowScene;

  beforeEach(async () => {
    ({ service, computer, window, through } = await windowScene({ offers: [anOffer()] }));
  });
  afterEach(() => computer.dispose());

  it('rents once and follows the instance', async () => {
    const result = await window.rentals.rent(request);
    assert.equal(result.kind, 'rented');
    assert.equal(service.count('offers.rent'), 1);
    const sent = service.rented[0]?.config;
    assert.match(sent?.label ?? '', /^training \[gr-[0-9a-f]{8}\]$/);
    assert.equal(markerIn(sent?.label), result.rental.marker);
    assert.deepEqual(result.rental.phase, {
      kind: 'waiting',
      instanceId: 6001,
      since: result.rental.requestedAt,
    });
    assert.equal(window.rentals.find(6001)?.marker, result.rental.marker);
  });

  it('is rented though the list can’t be read after it, which is only logged', async () => {
    service.before = (call) => {
      if (call === 'instances.list' && service.rented.length > 0) {
        throw new Error('down');
      }
    };
    assert.equal((await window.rentals.rent(request)).kind, 'rented');
    await computer.clock.advance(0);
    assert.equal(computer.log.count('warn The list could not be read after the rental: Error: down'), 1);
  });

  it('counts the start of its machine from when the request left, not from a wait before that', async () => {
    const minutes = 5 * 60_000;
    const before = computer.clock.now();
    service.wait = () => computer.clock.advance(minutes);
    const { rental } = await window.rentals.rent(request);
    assert.equal(rental.requestedAt, before + minutes);
    assert.deepEqual(rental.phase, { kind: 'waiting', instanceId: 6001, since: before + minutes });
    service.failsAfter('offers.rent', () => new RentOutcomeUnknownError());
    const lostAt = computer.clock.now();
    const requestedAt = await new Promise<number>((resolve) => {
      void window.rentals.rent(request, { onNotKnown: (rental) => resolve(rental.requestedAt) });
    });
    assert.equal(requestedAt, lostAt + minutes);
  });

  it('sends nothing beyond the budget, but for one who was asked', async () => {
    const { clock, log, secrets, storageDir } = computer;
    const parts = [{ period: 'day', spent: { amount: 2, isAtLeast: false }, limit: 1 }];
    const budget = { current: () => Promise.resolve({ parts, isWhole: true } as unknown as BudgetNow) };
    const deps = { ...window, budget, guarded: guardedRental, clock, log, secrets, storageDir };
    const rentals = window.owned.add(createRentals(deps));
    await assert.rejects(rentals.rent(request), OverBudgetError);
    assert.equal(service.count('offers.rent'), 0);
    assert.equal((await rentals.rent(request, { acceptsOverrun: true })).kind, 'rented');
  });

  it('informs another window that one closed before it had asked for all machines of an order', async () => {
    const other = await computer.openSignedIn();
    const events: [number, number][] = [];
    window.rentals.orders.onDidFindUnfinished(({ rentals, wanted }) => events.push([rentals.length, wanted]));
    await other.rentals.rent(request, { order: { id: 'f00', wanted: 3 } });
    window.fleet.setInterest({ viewVisible: true, windowFocused: true });
    await computer.clock.advance(120_000);
    assert.deepEqual(events, []);
    other.close();
    await computer.clock.advance(120_000);
    assert.deepEqual(events, [[1, 3]]);
  });

  it('sends nothing of an order that another window has reported as not rented', async () => {
    computer.hubs.claimed.add('order:f00:1');
    const order = { id: 'f00', wanted: 2 };
    await assert.rejects(window.rentals.rent(request, { order }), /not rented/);
    assert.equal(service.count('offers.rent'), 0);
  });

  it('sends nothing that another window has settled as not rented while this one hung', async () => {
    const marker = '0123abcd';
    const account = join('accounts', window.accounts.active?.key ?? '');
    const file = join(computer.storageDir, account, 'rentals', `${marker}.json`);
    const isStillWanted = async () => {
      const kept = JSON.parse(await readFile(file, 'utf8')) as { readonly rental: object };
      const phase = { kind: 'notRented', reason: text('It was not rented.') };
      await writeFile(file, JSON.stringify({ ...kept, rental: { ...kept.rental, phase } }));
      return true;
    };
    await assert.rejects(window.rentals.rent(request, { marker, isStillWanted }), CancelledError);
    assert.deepEqual(service.rented, []);
  });

  it('notes why nothing was rented: the words of the service, or that it was canceled', async () => {
    const reasons = () =>
      window.rentals.rentals.flatMap(({ phase }) =>
        phase.kind === 'notRented' ? [formatText(phase.reason)] : [],
      );
    await assert.rejects(window.rentals.rent(request, { isStillWanted: () => Promise.resolve(false) }));
    assert.deepEqual(reasons(), ['It was canceled before it was sent.']);
    await computer.clock.advance(1000);
    service.failsBefore('offers.rent', () => new GoneError());
    await assert.rejects(through(window.rentals.rent(request)), GoneError);
    assert.deepEqual(reasons(), [formatText(new GoneError().text), 'It was canceled before it was sent.']);
  });

  it('sends nothing for another account than the one that was shown', async () => {
    const accountKey = window.accounts.active?.key ?? '';
    assert.equal((await window.rentals.rent({ ...request, accountKey })).kind, 'rented');
    service.user = aUser({ id: 8 });
    await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
    await assert.rejects(window.rentals.rent({ ...request, accountKey }), AccountChangedError);
    assert.equal(service.count('offers.rent'), 1);
    assert.deepEqual(window.rentals.rentals, []);
  });

  it('sends nothing where the account is switched while the budget and the instances are read', async () => {
    const accountKey = window.accounts.active?.key ?? '';
    service.before = async (call) => {
      if (call === 'instances.list') {
        service.before = () => undefined;
        service.user = aUser({ id: 8 });
        await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
      }
    };
    await assert.rejects(window.rentals.rent({ ...request, accountKey }), AccountChangedError);
    assert.equal(service.count('offers.rent'), 0);
    await window.accounts.switchTo(accountKey);
    await computer.clock.advance(1000);
    assert.deepEqual(window.rentals.rentals, []);
  });

  it('rents nothing where it is signed out before the request leaves', async () => {
    const accountKey = window.accounts.active?.key ?? '';
    service.failsBefore('offers.rent', () => new NotSignedInError());
    await assert.rejects(window.rentals.rent({ ...request, accountKey }), NotSignedInError);
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'notRented');
  });

  it('has the marker on disk before the request leaves', async () => {
    let onDisk = '';
    service.before = async (call) => {
      if (call === 'offers.rent') {
        const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals');
        const [name = ''] = await readdir(folder);
        onDisk = await readFile(join(folder, name), 'utf8');
      }
    };
    const result = await window.rentals.rent(request);
    assert.match(onDisk, /"kind":"sent"/);
    assert.ok(onDisk.includes(result.rental.marker));
  });

  it('sends nothing if the journal can’t be written', async () => {
    await window.rentals.rent(request);
    service.calls.length = 0;
    const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    const secrets = computer.secrets.values.size;
    const config = { ...request.config, env: { TOKEN: 'hush' } };
    await assert.rejects(window.rentals.rent({ ...request, config }));
    assert.equal(service.count('offers.rent'), 0);
    assert.equal(computer.secrets.values.size, secrets, 'what was never sent stays nowhere');
  });

  describe('where the disk fills up while the service answers', () => {
    /** From the answer on nothing can be noted. */
    const fillDisk = async () => {
      const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals');
      await rm(folder, { recursive: true, force: true });
      await writeFile(folder, 'in the way');
    };

    it('follows what was rented', async () => {
      service.after = (call) => (call === 'offers.rent' ? fillDisk() : undefined);
      const result = await window.rentals.rent(request);
      assert.equal(result.kind, 'rented');
      assert.equal(result.instanceId, 6001);
      assert.equal(window.rentals.find(6001)?.phase.kind, 'waiting');
      assert.equal(computer.log.count('error What became of a rental could not be noted'), 1);
    });

    it('reads back what was lost', async () => {
      service.after = async (call) => {
        if (call === 'offers.rent') {
          await fillDisk();
          throw new RentOutcomeUnknownError();
        }
      };
      const result = await through(window.rentals.rent(request));
      assert.equal(result.kind, 'rented');
      assert.equal(service.count('offers.rent'), 1);
    });

    it('passes a refusal on', async () => {
      service.before = async (call) => {
        if (call === 'offers.rent') {
          await fillDisk();
          throw new GoneError();
        }
      };
      await assert.rejects(window.rentals.rent(request), GoneError);
      assert.equal(window.rentals.rentals[0]?.phase.kind, 'notRented');
    });
  });

  it('keeps an instance that arrived beside success: false', async () => {
    const rent = service.client.offers.rent.bind(service.client.offers);
    Object.assign(service.client.offers, {
      rent: async (...args: Parameters<typeof rent>) => ({
        ...(await rent(...args)),
        confirmed: false,
        message: 'bid pending',
      }),
    });
    const result = await window.rentals.rent(request);
    assert.equal(result.kind, 'rented');
    assert.equal(result.warning, 'bid pending');
    assert.equal(result.rental.phase.kind, 'waiting');
  });

  it('passes a refusal on, after which nothing is rented and it may be tried again', async () => {
    for (const error of [new GoneError(), new RateLimitedError()]) {
      service.failsBefore('offers.rent', () => error);
      await assert.rejects(window.rentals.rent(request), error);
      assert.equal(window.rentals.rentals[0]?.phase.kind, 'notRented');
    }
    assert.equal(service.count('instances.list') <= 5, true);
  });

  it('leaves a rental alone that another window is at work on', async () => {
    const other = await computer.openSignedIn();
    let answer: () => void = () => undefined;
    service.after = (call) =>
      call === 'offers.rent' ? new Promise<void>((resolve) => (answer = resolve)) : undefined;
    const rent = other.rentals.rent(request);
    await until('it took effect', () => service.rented.length === 1, { everyMs: 1 });
    await until('the leader knows of it', () => window.rentals.rentals.length === 1, { everyMs: 1 });
    await window.fleet.refresh();
    assert.equal(window.rentals.rentals[0]?.phase.kind, 'sent');
    answer();
    assert.equal((await rent).kind, 'rented');
    await until('the leader knows', () => window.rentals.rentals[0]?.phase.kind === 'waiting', {
      everyMs: 1,
    });
  });

  it('stops before anything is sent when the user cancels in time', async () => {
    const abort = new AbortController();
    service.before = () => {
      abort.abort();
    };
    await assert.rejects(window.rentals.rent(request, { signal: abort.signal }));
    assert.equal(service.count('offers.rent'), 0);
  });

  it('keeps environment, script and login out of every file, and gives them back for a replacement', async () => {
    const secret = 'value-that-nobody-may-see';
    const config = {
      ...request.config,
      env: { TOKEN: secret, '-p 8080:8080': '1' },
      onstart: `login ${secret}`,
      imageLogin: `-u me -p ${secret} registry.example.com`,
    };
    const { rental } = await window.rentals.rent({ ...request, config });
    for (const name of await readdir(computer.storageDir, { recursive: true })) {
      const content = await readFile(join(computer.storageDir, name), 'utf8').catch(() => '');
      assert.ok(!content.includes(secret), name);
    }
    window.close();
    const next = await computer.openSignedIn();
    await until('the rentals are read', () => next.rentals.rentals.length === 1, { everyMs: 1 });
    const full = await next.rentals.fullConfig(rental);
    assert.deepEqual(full?.env, config.env);
    assert.equal(full.onstart, config.onstart);
    await next.rentals.update(rental.marker, { phase: { kind: 'ended', instanceId: 6001 } });
    service.instances = [];
    await until('it is gone', async () => {
      await computer.clock.advance(5000);
      await next.fleet.refresh();
      return next.rentals.rentals[0]?.goneAt !== undefined;
    });
    const kept = await next.rentals.fullConfig(rental);
    assert.deepEqual(kept?.env, config.env, 'for a day, in case the service was wrong');
    computer.clock.jump(23 * 3_600_000);
    await next.fleet.refresh();
    assert.deepEqual((await next.rentals.fullConfig(rental))?.env, config.env);
    computer.clock.jump(2 * 3_600_000);
    await until('the values are dropped a day after the instance', async () => {
      await next.fleet.refresh();
      return [...computer.secrets.values.keys()].every((key) => !key.includes(rental.marker));
    });
  });

  it('drops environment, script and login with a rental that ended months before a window was opened', async () => {
    service.failsBefore('offers.rent', () => new GoneError());
    const before = new Set(computer.secrets.values.keys());
    const config = { ...request.config, env: { TOKEN: 'hush' } };
    await assert.rejects(window.rentals.rent({ ...request, config }), GoneError);
    const added = () => [...computer.secrets.values.keys()].filter((key) => !before.has(key));
    assert.equal(added().length, 1);
    window.close();
    computer.clock.jump(91 * 24 * 3_600_000);
    const { rentals } = await computer.openSignedIn();
    await until('they are dropped', () => added().length === 0, { everyMs: 1 });
    assert.deepEqual(rentals.rentals, []);
  });

  it('stay as they are if the disk refuses that their instance is gone, which is logged', async () => {
    await window.rentals.rent(request);
    const [{ marker } = { marker: '' }] = window.rentals.rentals;
    await window.fleet.refresh();
    await window.rentals.update(marker, { phase: { kind: 'ready', instanceId: 6001, at: 1 } });
    const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'rentals');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    service.instances = [];
    for (let list = 0; list < 2; list += 1) {
      await window.fleet.refresh();
      await computer.clock.advance(5000);
    }
    assert.ok(computer.log.count('error The rentals could not be compared with the list') > 0);
    assert.equal(window.rentals.find(6001)?.goneAt, undefined);
  });

  it('does not wait for an instance rented as stopped', async () => {
    const result = await window.rentals.rent({
      ...request,
      config: { ...request.config, targetState: 'stopped' },
    });
    assert.deepEqual(result.rental.phase, { kind: 'ended', instanceId: 6001 });
  });
});
