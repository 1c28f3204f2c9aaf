import assert from 'node:assert/strict';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GoneError, RateLimitedError, RentOutcomeUnknownError } from '../../../../src/api/errors';
import { markerIn } from '../../../../src/model/instances/instanceLabel';
import { AccountChangedError } from '../../../../src/store/accounts/sameAccount';
import { fromDollars } from '../../../../src/model/money';
import type { RentRequest } from '../../../../src/model/rentals/rentDraft';
import { CancelledError } from '../../../../src/util/errors';
import { anInstance, anOffer, aUser } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer, type FakeWindow } from '../../../support/fakeWindows';
import { seeded, sized, testSeed } from '../../../support/seeded';
import { until } from '../../../support/until';

const request: RentRequest = {
  offer: anOffer(),
  config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', runtype: 'ssh_direct' },
  rentalType: 'on-demand',
  priceLimit: fromDollars(0.4),
};

describe('rentals', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let window: FakeWindow;

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [anOffer()];
    computer = await FakeComputer.make(service.client);
    window = await computer.openSignedIn();
  });
  afterEach(() => computer.dispose());

  const through = <T>(promise: Promise<T>, stepMs?: number) => computer.clock.through(promise, stepMs);

  const loseAnswer = () => {
    service.after = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
  };

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

  it('sends nothing for another account than the one that was shown', async () => {
    const accountKey = window.accounts.active?.key ?? '';
    assert.equal((await window.rentals.rent({ ...request, accountKey })).kind, 'rented');
    service.user = aUser({ id: 8 });
    await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
    await assert.rejects(window.rentals.rent({ ...request, accountKey }), AccountChangedError);
    assert.equal(service.count('offers.rent'), 1);
    assert.deepEqual(window.rentals.rentals, []);
  });

  it('has the marker on disk before the request leaves', async () => {
    let onDisk = '';
    service.before = async (call) => {
      if (call === 'offers.rent') {
        const folder = join(computer.storageDir, 'rentals', window.accounts.active?.key ?? '');
        const [name = ''] = await readdir(folder);
        onDisk = await readFile(join(folder, name), 'utf8');
      }
    };
    const result = await window.rentals.rent(request);
    assert.match(onDisk, /"kind":"sent"/);
    assert.ok(onDisk.includes(result.rental.marker));
  });

  it('sends nothing where the journal cannot be written', async () => {
    await window.rentals.rent(request);
    service.calls.length = 0;
    const folder = join(computer.storageDir, 'rentals');
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
      const folder = join(computer.storageDir, 'rentals');
      await rm(folder, { recursive: true, force: true });
      await writeFile(folder, 'in the way');
    };

    it('follows what was rented', async () => {
      service.after = (call) => (call === 'offers.rent' ? fillDisk() : undefined);
      const result = await window.rentals.rent(request);
      assert.equal(result.kind, 'rented');
      assert.equal(result.instanceId, 6001);
      assert.equal(window.rentals.find(6001)?.phase.kind, 'waiting');
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

  it('keeps an instance that came beside success: false', async () => {
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
      service.before = (call) => {
        if (call === 'offers.rent') {
          throw error;
        }
      };
      await assert.rejects(window.rentals.rent(request), error);
      assert.equal(window.rentals.rentals[0]?.phase.kind, 'notRented');
    }
    assert.equal(service.count('instances.list') <= 5, true);
  });

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
  });

  it('finds an instance that turns up within the minute', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
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

  it('says after a minute that nothing was rented, when the lists could be read', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
    const start = computer.clock.now();
    const result = await through(window.rentals.rent(request));
    assert.equal(result.kind, 'notRented');
    assert.ok(computer.clock.now() - start >= 60_000);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('goes on saying that it is not known while the lists cannot be read, and finds out later', async () => {
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
    isDown = false;
    await until('it is found', async () => {
      await computer.clock.advance(10_000);
      return settled.length > 0;
    });
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

  it('takes nobody else’s instance for its own', async () => {
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

  it('finds out after a restart what happened to a rental that was under way', async () => {
    service.after = (call) => (call === 'offers.rent' ? new Promise<void>(() => undefined) : undefined);
    void window.rentals.rent(request);
    await until('it took effect', () => service.rented.length === 1, { everyMs: 1 });
    window.close();
    const next = await computer.openSignedIn();
    await until('it is followed', async () => {
      await computer.clock.advance(10_000);
      return next.rentals.rentals[0]?.phase.kind === 'waiting';
    });
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
    await until('it is closed', async () => {
      await computer.clock.advance(10_000);
      return next.rentals.rentals[0]?.phase.kind === 'notRented';
    });
    assert.equal(service.count('offers.rent'), 1);
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

  it('goes on searching when the user stops waiting for a lost answer', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
    const abort = new AbortController();
    const rent = window.rentals.rent(request, { signal: abort.signal });
    await until('it is not known', () => window.rentals.rentals[0]?.phase.kind === 'notKnown', {
      everyMs: 1,
    });
    await computer.clock.advance(1000);
    abort.abort(new CancelledError());
    assert.equal((await rent).kind, 'notKnown');
    await until('it is closed', async () => {
      await computer.clock.advance(5000);
      return window.rentals.rentals[0]?.phase.kind === 'notRented';
    });
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

  it('does not wait for an instance rented as stopped', async () => {
    const result = await window.rentals.rent({
      ...request,
      config: { ...request.config, targetState: 'stopped' },
    });
    assert.deepEqual(result.rental.phase, { kind: 'ended', instanceId: 6001 });
  });

  it('has exactly one rental and tells the truth about it, in whatever order faults come', async () => {
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
