import assert from 'node:assert/strict';
import {
  ForbiddenError,
  GoneError,
  NotFoundError,
  RefusedError,
  RentOutcomeUnknownError,
  TimedOutError,
} from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import { AccountChangedError } from '../../../../src/store/accounts/sameAccount';
import { NotReplaceableError, type ReplaceResult } from '../../../../src/store/rentals/replacement';
import { UserError } from '../../../../src/util/errors';
import { anOffer, aUser } from '../../../support/builders';
import { useFailedMachine } from '../../../support/failedMachineScene';
import { anySearch } from '../../../support/rentalRequest';
import { until } from '../../../support/until';

describe('replacing a machine that failed', () => {
  const scene = useFailedMachine();
  const { become, replace } = scene;

  it('destroys it and rents the next that fits the search, the limit and no failed machine', async () => {
    const stages: string[] = [];
    const result = await replace({ onStage: (stage) => stages.push(stage) });
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9003);
    assert.equal(result.log, 'the log\n');
    assert.deepEqual(stages, ['searching', 'savingLog', 'destroying', 'renting']);
    assert.deepEqual(
      scene.service.instances.map(({ id, machineId }) => [id, machineId]),
      [[6002, 180]],
    );
    const [, second] = scene.service.rented;
    assert.deepEqual(second?.config.env, { TOKEN: 'secret' });
    assert.match(second.config.label ?? '', /^training \[gr-[0-9a-f]{8}\]$/);
    assert.deepEqual(
      (await scene.machines.list()).map(({ machineId }) => machineId),
      [178],
    );
  });

  it('destroys nothing where no offer fits', async () => {
    scene.service.offers = [
      anOffer(),
      anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) }),
    ];
    assert.deepEqual(await replace(), { kind: 'noOffer' });
    assert.deepEqual(
      scene.service.instances.map(({ id }) => id),
      [6001],
    );
  });

  it('rents nothing whose price passed the limit while the machine was being destroyed', async () => {
    scene.service.after = (call) => {
      if (call === 'instances.destroy') {
        scene.service.offers = scene.service.offers.map((one) => ({
          ...one,
          totalPerHour: fromDollars(3.17),
        }));
      }
    };
    assert.deepEqual(await replace(), { kind: 'destroyedOnly', log: 'the log\n' });
    assert.equal(scene.service.count('offers.rent'), 1);
    assert.equal(scene.computer.log.count('info Offer 9003 is gone or does not fit any more'), 1);
  });

  it('reports the price at which it rented, and passes the limit on for the instance', async () => {
    scene.service.after = (call) => {
      if (call === 'instances.destroy') {
        scene.service.offers = scene.service.offers.map((one) => ({
          ...one,
          totalPerHour: fromDollars(0.38),
        }));
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.pricePerHour, fromDollars(0.38));
    assert.equal(result.rent.rental.mostPerHour, fromDollars(0.4));
  });

  it('rents nothing once ten minutes passed since the user agreed, as where the computer slept', async () => {
    const { clock } = scene.computer;
    scene.service.after = (call) => {
      if (call === 'instances.destroy') {
        clock.jump(8 * 3_600_000);
      }
    };
    const result = await replace({ agreedAt: clock.now() });
    assert.equal(result.kind, 'destroyedOnly');
    assert.match(String(result.error), /could not be sent within 10 minutes/);
    assert.equal(scene.service.count('offers.rent'), 1);
  });

  it('keeps within what the other instances leave of the limit of the user', async () => {
    assert.deepEqual(await replace({ roomPerHour: fromDollars(0.2) }), { kind: 'noOffer' });
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('destroys nothing where the volume of the rental ties it to its machine', async () => {
    scene.service.instances = [];
    for (const kind of ['create', 'link'] as const) {
      await scene.window.rentals.rent({
        offer: anOffer(),
        config: { image: 'i', volume: { kind, volumeId: 3, sizeGb: 10, mountPath: '/data' } },
        search: anySearch,
        rentalType: 'on-demand',
        priceLimit: fromDollars(0.4),
      });
      become('exited');
      assert.deepEqual(await replace({}, scene.window, scene.service.nextId), { kind: 'noOffer' });
    }
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('does nothing if the machine runs or has been stopped', async () => {
    become('running');
    assert.deepEqual(await replace(), { kind: 'notNeeded', isRunning: true });
    become('exited', { intendedStatus: 'stopped' });
    assert.deepEqual(await replace(), { kind: 'notNeeded', isRunning: false });
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('replaces one that is gone only at the request of the user', async () => {
    scene.service.instances = [];
    assert.deepEqual(await replace({ onlyIfThere: true }), { kind: 'notNeeded', isRunning: false });
    assert.equal(scene.service.count('offers.rent'), 1);
    assert.equal((await replace()).kind, 'replaced');
  });

  it('replaces one that still loads only if its start exceeded the limit', async () => {
    const { rentals } = scene.window;
    const { marker } = rentals.find(6001) ?? { marker: '' };
    become('loading');
    for (const reason of ['exited', 'timedOut'] as const) {
      await rentals.update(marker, { phase: { kind: 'failed', instanceId: 6001, at: 1, reason } });
      assert.equal((await replace()).kind, reason === 'timedOut' ? 'replaced' : 'notNeeded');
    }
  });

  it('leaves a machine that ran alone unless the loss of its data was accepted', async () => {
    become('running');
    await scene.window.fleet.refresh();
    become('exited');
    assert.equal((await replace()).kind, 'notNeeded');
    assert.equal((await replace({ dataLossAccepted: true })).kind, 'replaced');
  });

  it('rents nothing beside a machine that may still be there', async () => {
    scene.service.failsBefore('instances.destroy', () => new TimedOutError());
    assert.deepEqual(await replace(), { kind: 'notDestroyed', log: 'the log\n' });
    assert.equal(scene.service.count('offers.rent'), 1);
    scene.service.before = () => undefined;
    assert.equal((await replace()).kind, 'replaced');
  });

  it('happens once, however many windows do it', async () => {
    const other = await scene.computer.openSignedIn();
    await until('the other window knows the rental', () => other.rentals.rentals.length === 1, {
      everyMs: 1,
    });
    const results = await Promise.all([replace(), replace({}, other)]);
    assert.deepEqual(results.map(({ kind }) => kind).sort(), ['elsewhere', 'replaced']);
    assert.equal(scene.service.instances.length, 1);
    assert.equal(scene.service.rented.length, 2);
  });

  it('happens once for a machine, also when it is asked for again while it is under way and afterwards', async () => {
    let again: Promise<ReplaceResult> | undefined;
    scene.service.before = (call) => {
      if (call === 'instances.destroy') {
        again ??= replace();
      }
    };
    assert.equal((await replace()).kind, 'replaced');
    assert.deepEqual(await again, { kind: 'elsewhere' });
    assert.deepEqual(await replace(), { kind: 'replacedBefore' });
    const other = await scene.computer.openSignedIn();
    await until('the other window knows both rentals', () => other.rentals.rentals.length === 2, {
      everyMs: 1,
    });
    assert.deepEqual(await replace({}, other), { kind: 'replacedBefore' });
    assert.equal(scene.service.count('offers.rent'), 2);
  });

  it('is tried again where the window that began it closed in the middle', async () => {
    const [rental] = scene.window.rentals.rentals;
    const replacingSince = scene.computer.clock.now();
    await scene.window.rentals.update(rental?.marker ?? '', { replacements: 1, replacingSince });
    assert.deepEqual(await replace(), { kind: 'elsewhere' });
    await scene.computer.clock.advance(10 * 60_000);
    assert.equal((await replace()).kind, 'replaced');
  });

  it('never rents for another account than the one whose machine it destroyed', async () => {
    const first = scene.window.accounts.active;
    const secondUser = aUser({ id: 8 });
    scene.service.after = async (call) => {
      if (call === 'instances.destroy') {
        scene.service.user = secondUser;
        await scene.window.accounts.signIn({
          serviceUrl: 'https://console.example.com',
          apiKey: 'another-key',
        });
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof AccountChangedError);
    assert.notEqual(scene.window.accounts.active?.key, first?.key);
    assert.equal(scene.service.count('offers.rent'), 1);
  });

  it('destroys nothing once another account is active', async () => {
    scene.service.after = async (call) => {
      if (call === 'instances.logs') {
        scene.service.user = aUser({ id: 8 });
        await scene.window.accounts.signIn({
          serviceUrl: 'https://console.example.com',
          apiKey: 'another-key',
        });
      }
    };
    await assert.rejects(replace(), AccountChangedError);
    assert.equal(scene.service.count('instances.destroy'), 0);
  });

  it('reports it as destroyed when renting the next one fails or is stopped', async () => {
    const abort = new AbortController();
    scene.service.after = (call) => {
      if (call === 'instances.destroy') {
        scene.service.failsBefore('offers.rent', () => new ForbiddenError());
      }
    };
    const result = await replace({ signal: abort.signal });
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof ForbiddenError);
    assert.deepEqual(scene.service.instances, []);
  });

  it('rents no offer outside of the search, for any answer of the service', async () => {
    const [rental] = scene.window.rentals.rentals;
    assert.ok(rental);
    scene.service.offers = [
      anOffer({ id: 9002, machineId: 179, gpuName: 'RTX 3060', totalPerHour: fromDollars(0.1) }),
      anOffer({ id: 9003, machineId: 180 }),
    ];
    scene.service.instances = [];
    await scene.window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch' },
      search: { ...anySearch, filters: { gpu_name: { in: ['RTX 4090'] } } },
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    become('exited');
    const result = await replace({}, scene.window, 6002);
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9003);
  });

  it('continues with the next offer when one is taken, and stops at a lost answer', async () => {
    scene.service.before = (call) => {
      if (call === 'offers.rent' && scene.service.count('offers.rent') === 2) {
        throw new GoneError();
      }
    };
    scene.service.failsAfter('offers.rent', () => new RentOutcomeUnknownError());
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9004);
    assert.equal(scene.computer.log.count('info Offer 9003 was not to be had'), 1);
    assert.equal(result.rent.kind, 'rented');
    assert.equal(scene.service.instances.length, 1);
  });

  const ofOthers: readonly (readonly [string, Error])[] = [
    ['without credit', new RefusedError({ status: 400, code: 'insufficient_credit' })],
    ['for too high a rate', new RefusedError({ status: 400, code: 'spend_rate_limit' })],
    ['that is not known', new RefusedError({ status: 400, code: 'brand_new' })],
    ['of the key', new ForbiddenError({ status: 403 })],
    ['of a withdrawn call', new GoneError({ status: 410, code: 'deprecated_endpoint' })],
    ['of a template', new NotFoundError({ status: 404, code: 'not_found', serviceText: 'No such template' })],
    ['by a page', new NotFoundError({ status: 404 })],
  ];
  for (const [name, refusal] of ofOthers) {
    it(`ends at a refusal ${name}, which any offer would meet, with that reason`, async () => {
      scene.service.failsBefore('offers.rent', () => refusal);
      assert.deepEqual(await replace(), { kind: 'destroyedOnly', error: refusal, log: 'the log\n' });
      assert.equal(scene.service.count('offers.rent'), 2, 'one of them for the machine that failed');
    });
  }

  it('continues after a refusal that does not state what is gone only if the market lacks the offer', async () => {
    const refusal = new NotFoundError({ status: 404, code: 'not_found' });
    scene.service.before = (call) => {
      if (call === 'offers.rent' && scene.service.count('offers.rent') === 2) {
        scene.service.offers = scene.service.offers.filter(({ id }) => id !== 9003);
        throw refusal;
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9004);
  });

  it('does not go on where the market does not answer after such a refusal', async () => {
    const refusal = new NotFoundError({ status: 404, code: 'not_found' });
    scene.service.before = (call) => {
      if (scene.service.count('offers.rent') === 2) {
        throw call === 'offers.rent' ? refusal : new TimedOutError();
      }
    };
    assert.deepEqual(await replace(), { kind: 'destroyedOnly', error: refusal, log: 'the log\n' });
  });

  it('reports it as destroyed when every offer was taken', async () => {
    const cheap = { totalPerHour: fromDollars(0.3) };
    scene.service.offers = [...Array(7).keys()].map((at) =>
      anOffer({ id: 9100 + at, machineId: 300 + at, ...cheap }),
    );
    scene.service.failsBefore('offers.rent', () => new GoneError());
    assert.deepEqual(await replace(), { kind: 'destroyedOnly', log: 'the log\n' });
    assert.equal(scene.service.count('offers.rent'), 1 + 5, 'after five of them');
    assert.deepEqual(scene.service.instances, []);
  });

  it('reports it as destroyed when the rental in its place never arrived', async () => {
    scene.service.failsBefore('offers.rent', () => new RentOutcomeUnknownError());
    const result = await replace();
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof UserError);
    assert.match(result.error.message, /no instance with its label/);
    assert.equal(scene.service.count('offers.rent'), 2, 'one of them for the machine that failed');
    assert.deepEqual(scene.service.instances, []);
  });

  it('does not wait for a log that fails', async () => {
    scene.service.before = (call) =>
      call === 'instances.logs' ? Promise.reject(new Error('no log')) : undefined;
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.log, undefined);
    assert.equal(scene.computer.log.count('warn The log of 6001 could not be saved: Error: no log'), 1);
  });

  it('refuses if it can’t rent the same: not rented here, or the environment is lost', async () => {
    scene.computer.secrets.values.clear();
    scene.window.close();
    const next = scene.computer.openWindow();
    await next.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'key-of-the-user' });
    await until('the rental is read', () => next.rentals.rentals.length === 1, { everyMs: 1 });
    await assert.rejects(replace({}, next), NotReplaceableError);
    assert.equal(scene.service.count('instances.destroy'), 0);
  });
});
