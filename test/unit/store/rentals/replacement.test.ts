import assert from 'node:assert/strict';
import {
  ForbiddenError,
  GoneError,
  RentOutcomeUnknownError,
  TimedOutError,
} from '../../../../src/api/errors';
import { AccountChangedError } from '../../../../src/store/accounts/sameAccount';
import { fromDollars } from '../../../../src/model/money';
import { FailedMachines } from '../../../../src/store/rentals/failedMachines';
import {
  NotReplaceableError,
  replaceInstance,
  type ReplaceOptions,
  type ReplaceResult,
} from '../../../../src/store/rentals/replacement';
import { UserError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { anOffer, aTemplate, aUser } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer, noBudget, type FakeWindow } from '../../../support/fakeWindows';
import { until } from '../../../support/until';

const search = { filters: {}, rentalType: 'on-demand' as const, order: [] };

describe('replacing a machine that failed', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let window: FakeWindow;
  let machines: FailedMachines;

  beforeEach(async () => {
    service = new FakeService();
    service.offers = [
      anOffer(),
      anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) }),
      anOffer({ id: 9003, machineId: 180, totalPerHour: fromDollars(0.39) }),
      anOffer({ id: 9004, machineId: 181, totalPerHour: fromDollars(0.4) }),
    ];
    computer = await FakeComputer.make(service.client);
    window = await computer.openSignedIn();
    machines = new FailedMachines(computer.storageDir, () => 'account');
    await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch', diskGb: 20, label: 'training', env: { TOKEN: 'secret' } },
      search,
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    become('exited');
  });
  afterEach(() => computer.dispose());

  const become = (actualStatus: string | null, more = {}) => {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus, ...more }));
  };

  async function replace(
    options: Partial<ReplaceOptions> = {},
    own = window,
    instanceId = 6001,
  ): Promise<ReplaceResult> {
    const { clock } = computer;
    const deps = { ...own, budget: noBudget, failedMachines: machines, clock, log: silentLog };
    return computer.clock.through(replaceInstance(deps, instanceId, { dataLossAccepted: false, ...options }));
  }

  it('destroys it and rents the next that fits the search, the limit and no failed machine', async () => {
    const stages: string[] = [];
    const result = await replace({ onStage: (stage) => stages.push(stage) });
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9003);
    assert.equal(result.log, 'the log\n');
    assert.deepEqual(stages, ['searching', 'savingLog', 'destroying', 'renting']);
    assert.deepEqual(
      service.instances.map(({ id, machineId }) => [id, machineId]),
      [[6002, 180]],
    );
    const [, second] = service.rented;
    assert.deepEqual(second?.config.env, { TOKEN: 'secret' });
    assert.match(second.config.label ?? '', /^training \[gr-[0-9a-f]{8}\]$/);
    assert.deepEqual(
      (await machines.list()).map(({ machineId }) => machineId),
      [178],
    );
  });

  it('destroys nothing where no offer fits', async () => {
    service.offers = [anOffer(), anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) })];
    assert.deepEqual(await replace(), { kind: 'noOffer' });
    assert.deepEqual(
      service.instances.map(({ id }) => id),
      [6001],
    );
  });

  it('rents nothing whose price passed the limit while the machine was being destroyed', async () => {
    service.after = (call) => {
      if (call === 'instances.destroy') {
        service.offers = service.offers.map((one) => ({ ...one, totalPerHour: fromDollars(3.17) }));
      }
    };
    assert.deepEqual(await replace(), { kind: 'destroyedOnly', log: 'the log\n' });
    assert.equal(service.count('offers.rent'), 1);
  });

  it('says the price at which it rented, and passes the limit on for the instance', async () => {
    service.after = (call) => {
      if (call === 'instances.destroy') {
        service.offers = service.offers.map((one) => ({ ...one, totalPerHour: fromDollars(0.38) }));
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.pricePerHour, fromDollars(0.38));
    assert.equal(result.rent.rental.mostPerHour, fromDollars(0.4));
  });

  it('keeps within what the other instances leave of the limit of the user', async () => {
    assert.deepEqual(await replace({ roomPerHour: fromDollars(0.2) }), { kind: 'noOffer' });
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('destroys nothing where the volume of the rental ties it to its machine', async () => {
    service.instances = [];
    for (const kind of ['create', 'link'] as const) {
      await window.rentals.rent({
        offer: anOffer(),
        config: { image: 'i', volume: { kind, volumeId: 3, sizeGb: 10, mountPath: '/data' } },
        search,
        rentalType: 'on-demand',
        priceLimit: fromDollars(0.4),
      });
      become('exited');
      assert.deepEqual(await replace({}, window, service.nextId), { kind: 'noOffer' });
    }
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('does nothing where the machine runs or was stopped meanwhile', async () => {
    become('running');
    assert.deepEqual(await replace(), { kind: 'notNeeded', isRunning: true });
    become('exited', { intendedStatus: 'stopped' });
    assert.deepEqual(await replace(), { kind: 'notNeeded', isRunning: false });
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('leaves a machine that ran alone unless the loss of its data was accepted', async () => {
    become('running');
    await window.fleet.refresh();
    become('exited');
    assert.equal((await replace()).kind, 'notNeeded');
    assert.equal((await replace({ dataLossAccepted: true })).kind, 'replaced');
  });

  it('rents nothing beside a machine that may still be there', async () => {
    service.before = (call) => {
      if (call === 'instances.destroy') {
        throw new TimedOutError();
      }
    };
    assert.deepEqual(await replace(), { kind: 'notDestroyed', log: 'the log\n' });
    assert.equal(service.count('offers.rent'), 1);
    service.before = () => undefined;
    assert.equal((await replace()).kind, 'replaced');
  });

  it('happens once, however many windows do it', async () => {
    const other = await computer.openSignedIn();
    await until('the other window knows the rental', () => other.rentals.rentals.length === 1, {
      everyMs: 1,
    });
    const results = await Promise.all([replace(), replace({}, other)]);
    assert.deepEqual(results.map(({ kind }) => kind).sort(), ['elsewhere', 'replaced']);
    assert.equal(service.instances.length, 1);
    assert.equal(service.rented.length, 2);
  });

  it('happens once for a machine, also when it is asked for again while it is under way and afterwards', async () => {
    let again: Promise<ReplaceResult> | undefined;
    service.before = (call) => {
      if (call === 'instances.destroy') {
        again ??= replace();
      }
    };
    assert.equal((await replace()).kind, 'replaced');
    assert.deepEqual(await again, { kind: 'elsewhere' });
    assert.deepEqual(await replace(), { kind: 'replacedBefore' });
    const other = await computer.openSignedIn();
    await until('the other window knows both rentals', () => other.rentals.rentals.length === 2, {
      everyMs: 1,
    });
    assert.deepEqual(await replace({}, other), { kind: 'replacedBefore' });
    assert.equal(service.count('offers.rent'), 2);
  });

  it('is tried again where the window that began it closed in the middle', async () => {
    const [rental] = window.rentals.rentals;
    const replacingSince = computer.clock.now();
    await window.rentals.update(rental?.marker ?? '', { replacements: 1, replacingSince });
    assert.deepEqual(await replace(), { kind: 'elsewhere' });
    await computer.clock.advance(10 * 60_000);
    assert.equal((await replace()).kind, 'replaced');
  });

  it('never rents for another account than the one whose machine it destroyed', async () => {
    const first = window.accounts.active;
    const secondUser = aUser({ id: 8 });
    service.after = async (call) => {
      if (call === 'instances.destroy') {
        service.user = secondUser;
        await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof AccountChangedError);
    assert.notEqual(window.accounts.active?.key, first?.key);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('destroys nothing once another account is active', async () => {
    service.after = async (call) => {
      if (call === 'instances.logs') {
        service.user = aUser({ id: 8 });
        await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
      }
    };
    await assert.rejects(replace(), AccountChangedError);
    assert.equal(service.count('instances.destroy'), 0);
  });

  it('says that it is destroyed when renting the next one fails or is stopped', async () => {
    const abort = new AbortController();
    service.after = (call) => {
      if (call === 'instances.destroy') {
        service.before = (next) => {
          if (next === 'offers.rent') {
            throw new ForbiddenError();
          }
        };
      }
    };
    const result = await replace({ signal: abort.signal });
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof ForbiddenError);
    assert.deepEqual(service.instances, []);
  });

  it('takes no offer that the search does not fit, whatever the service answers', async () => {
    const [rental] = window.rentals.rentals;
    assert.ok(rental);
    service.offers = [
      anOffer({ id: 9002, machineId: 179, gpuName: 'RTX 3060', totalPerHour: fromDollars(0.1) }),
      anOffer({ id: 9003, machineId: 180 }),
    ];
    service.instances = [];
    await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'pytorch/pytorch' },
      search: { ...search, filters: { gpu_name: { in: ['RTX 4090'] } } },
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    become('exited');
    const result = await replace({}, window, 6002);
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9003);
  });

  it('goes on to the next offer when one is taken, and stops at a lost answer', async () => {
    service.before = (call) => {
      if (call === 'offers.rent' && service.count('offers.rent') === 2) {
        throw new GoneError();
      }
    };
    service.after = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.offer.id, 9004);
    assert.equal(result.rent.kind, 'rented');
    assert.equal(service.instances.length, 1);
  });

  it('says when it is destroyed and every offer was taken', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        throw new GoneError();
      }
    };
    assert.deepEqual(await replace(), { kind: 'destroyedOnly', log: 'the log\n' });
    assert.deepEqual(service.instances, []);
  });

  it('says when it is destroyed and the rental in its place never arrived', async () => {
    service.before = (call) => {
      if (call === 'offers.rent') {
        throw new RentOutcomeUnknownError();
      }
    };
    const result = await replace();
    assert.equal(result.kind, 'destroyedOnly');
    assert.ok(result.error instanceof UserError);
    assert.match(result.error.message, /no instance with its label/);
    assert.equal(service.count('offers.rent'), 2, 'one of them for the machine that failed');
    assert.deepEqual(service.instances, []);
  });

  it('does not wait for a log that does not come', async () => {
    service.before = (call) => (call === 'instances.logs' ? Promise.reject(new Error('no log')) : undefined);
    const result = await replace();
    assert.equal(result.kind, 'replaced');
    assert.equal(result.log, undefined);
  });

  describe('rented from a template', () => {
    let id: number;

    beforeEach(async () => {
      service.templates = [aTemplate()];
      await window.rentals.rent({
        offer: anOffer(),
        config: { templateHash: 'hash-1', templateId: 77, diskGb: 20 },
        search,
        rentalType: 'on-demand',
        priceLimit: fromDollars(0.4),
      });
      id = service.nextId;
      become('exited');
    });

    it('is rented again from the template as it was', async () => {
      assert.equal((await replace({}, window, id)).kind, 'replaced');
      assert.equal(service.rented.at(-1)?.config.templateHash, 'hash-1');
    });

    it('stays where the template was edited since, until the user wants its current version', async () => {
      service.templates = [aTemplate({ hashId: 'hash-2' })];
      const changed = { kind: 'templateChanged', template: service.templates[0] };
      assert.deepEqual(await replace({}, window, id), changed);
      assert.deepEqual(await replace({ acceptedTemplateHash: 'hash-3' }, window, id), changed);
      assert.equal(service.count('instances.destroy'), 0);
      assert.equal((await replace({ acceptedTemplateHash: 'hash-2' }, window, id)).kind, 'replaced');
      assert.equal(service.rented.at(-1)?.config.templateHash, 'hash-2');
    });

    it('stays where the template is gone, or cannot be read', async () => {
      service.templates = [];
      assert.deepEqual(await replace({}, window, id), { kind: 'templateChanged', template: undefined });
      service.before = (call) => {
        if (call === 'templates.search') {
          throw new TimedOutError();
        }
      };
      await assert.rejects(replace({}, window, id), TimedOutError);
      assert.equal(service.count('instances.destroy'), 0);
    });
  });

  it('refuses where it cannot rent alike: not rented here, or the environment is lost', async () => {
    computer.secrets.values.clear();
    window.close();
    const next = computer.openWindow();
    await next.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'key-of-the-user' });
    await until('the rental is read', () => next.rentals.rentals.length === 1, { everyMs: 1 });
    await assert.rejects(replace({}, next), NotReplaceableError);
    assert.equal(service.count('instances.destroy'), 0);
  });
});
