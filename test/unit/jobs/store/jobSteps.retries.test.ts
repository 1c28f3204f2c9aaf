import assert from 'node:assert/strict';
import { promises, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RentOutcomeUnknownError } from '../../../../src/api/errors';
import { jobCost } from '../../../../src/jobs/model/jobLimits';
import { fromDollars, type Micros } from '../../../../src/model/money';
import { formatText } from '../../../../src/util/text';
import { anOffer } from '../../../support/builders';
import { becomesReady, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, aRentedJob, FakeMachine } from '../../../support/jobWindows';
import { anySearch, rentalRequest } from '../../../support/rentalRequest';
import { useFolder } from '../../../support/useFolder';

const minute = 60_000;
const first = 6001;
const second = 6002;

describe('A job whose machine is lost', () => {
  let { service, computer, machine, window, pass, open } = {} as JobWindowScene;
  let outputsTo = '';
  let job = '';

  beforeEach(async () => {
    ({ service, computer, machine, window, pass, open } = await jobWindowScene(new FakeMachine(), {
      offers: [
        anOffer(),
        anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) }),
        anOffer({ id: 9003, machineId: 180, totalPerHour: fromDollars(0.39) }),
      ],
    }));
  });
  afterEach(() => computer.dispose());
  useFolder((made) => void (outputsTo = made));

  const state = () => window.row(job).state;
  const count = () => [service.count('offers.rent'), service.count('instances.destroy')];
  const list = async () => {
    await window.fleet.refresh();
    await pass(0);
  };

  /** Rents as the confirmation does, and runs the job on it. */
  async function run(fields: Readonly<Record<string, unknown>>, phase = 'running'): Promise<void> {
    const beforeSent = async ({ marker }: { readonly marker: string }) => {
      const ordered = { ...aRentedJob({ marker }, fields), outputsTo, workspace: outputsTo };
      job = (await window.jobs.order(ordered, ['train.py'])).id;
    };
    await computer.clock.through(
      window.rentals.rent({ ...rentalRequest, search: anySearch }, { beforeSent }),
    );
    await getsReady(first);
    assert.equal(state().phase, phase);
  }

  const getsReady = (id: number) => becomesReady({ service, computer, window }, id);

  function cut(): void {
    machine.cut((_, when) => when === 'before');
  }

  /** Nothing of the job is on a new machine. */
  function another(): void {
    Object.assign(machine, { phase: 'none', end: undefined, hasFolder: false, log: '', trouble: undefined });
  }

  async function isDestroyedElsewhere(): Promise<void> {
    cut();
    service.instances = [];
    await list();
    await pass(11 * minute);
    await list();
    await pass(minute);
  }

  async function becomes(actualStatus: string, ms: number): Promise<void> {
    cut();
    service.instances = service.instances.map((one) => ({ ...one, actualStatus }));
    await list();
    await pass(ms);
  }

  it('runs again on the next machine of the same search and limit, and that one is destroyed at its end', async () => {
    await run({ retries: { machineLost: 1 } });
    await isDestroyedElsewhere();
    assert.deepEqual(
      [state().phase, state().attempt, state().machine?.instanceId],
      ['gettingReady', 2, second],
    );
    assert.equal(service.rented.at(-1)?.offerId, 9003);
    another();
    await getsReady(second);
    assert.equal(state().phase, 'running');
    assert.equal(machine.orders.at(-1)?.id, `${job}02`);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([state().outcome, ...count()], ['destroyed', 2, 1]);
    assert.deepEqual(
      state().attempts?.map(({ cause, machine: name }) => [cause, name]),
      [['machineLost', 'training']],
    );
    assert.ok(window.noticeKinds().includes('triedAgain'));
  });

  it('is lost where its file allows no attempt more, and rents nothing', async () => {
    await run({ retries: { interrupted: 2 } });
    await isDestroyedElsewhere();
    assert.deepEqual([state().phase, state().outcome, ...count()], ['over', 'lost', 1, 0]);
  });

  it('is lost where it only borrowed the machine, which is not destroyed or rented again for it', async () => {
    await computer.clock.through(window.rentals.rent({ ...rentalRequest, search: anySearch }));
    const borrowing = aJob(first, { retries: { machineLost: 1, interrupted: 1 } });
    job = (await window.jobs.order({ ...borrowing, outputsTo, workspace: outputsTo }, ['train.py'])).id;
    await getsReady(first);
    assert.equal(state().phase, 'running');
    await becomes('exited', 20 * minute);
    assert.deepEqual([state().attempt, ...count()], [1, 1, 0]);
    await isDestroyedElsewhere();
    assert.deepEqual([state().phase, state().outcome, ...count()], ['over', 'lost', 1, 0]);
  });

  it('is lost at the second loss where its file allows one', async () => {
    await run({ retries: { machineLost: 1 } });
    await isDestroyedElsewhere();
    another();
    await getsReady(second);
    await isDestroyedElsewhere();
    assert.deepEqual([state().phase, state().outcome, ...count()], ['over', 'lost', 2, 0]);
  });

  it('does not run again once it was stopped', async () => {
    await run({ retries: { machineLost: 1 } });
    await window.jobs.stop(job);
    await isDestroyedElsewhere();
    assert.deepEqual([state().phase, ...count()], ['over', 1, 0]);
  });

  it('leaves a machine that is outbid or ended after five minutes, and destroys it first', async () => {
    await run({ retries: { interrupted: 1 } });
    await becomes('exited', 4 * minute);
    assert.deepEqual(count(), [1, 0]);
    const order: string[] = [];
    service.before = (call) => void order.push(call);
    await pass(10 * minute);
    assert.deepEqual([state().attempt, state().machine?.instanceId, ...count()], [2, second, 2, 1]);
    assert.ok(order.indexOf('instances.destroy') < order.indexOf('offers.rent'));
    assert.equal(state().attempts?.[0]?.cause, 'interrupted');
  });

  for (const hours of [-24, 1]) {
    it(`waits as long for a machine that is away where the clock jumps by ${hours} h in the middle`, async () => {
      await run({ retries: { machineLost: 1 } });
      await becomes('offline', 10 * minute);
      computer.clock.jump(hours * 60 * minute);
      await pass(15 * minute);
      assert.deepEqual(count(), [1, 0]);
      await pass(15 * minute);
      assert.deepEqual([state().attempt, ...count()], [2, 2, 1]);
    });
  }

  for (const [what, status, isAtWork, lateMinutes] of [
    ['is outbid or ended', 'exited', false, 0],
    ['is away', 'offline', true, 0],
    ['is away, ordered while the job here ran', 'offline', true, 15],
  ] as const) {
    it(`spares what another computer has on a machine that ${what}, and continues once that is destroyed`, async () => {
      const there = [{ id: 'feedfacefeedface01', name: 'eval', isAtWork }];
      machine.there = lateMinutes === 0 ? there : [];
      const retries = { interrupted: 1, machineLost: 1 };
      await run({ retries }, isAtWork && lateMinutes === 0 ? 'waiting' : 'running');
      machine.there = there;
      await pass(lateMinutes * minute);
      await becomes(status, 120 * minute);
      assert.deepEqual([state().trouble?.kind, state().attempt, ...count()], ['notReplaced', 1, 1, 0]);
      assert.match(formatText(state().trouble?.why ?? ''), /eval of another computer/);
      assert.ok(window.noticeKinds().includes('notReplaced'));
      service.instances = [];
      await list();
      await pass(11 * minute);
      await list();
      await pass(20 * minute);
      assert.deepEqual([state().attempt, state().machine?.instanceId, ...count()], [2, second, 2, 0]);
    });
  }

  it('continues where it was once a machine is back that was spared', async () => {
    await run({ retries: { machineLost: 1 } });
    machine.there = [{ id: 'feedfacefeedface01', name: 'eval', isAtWork: false }];
    await pass(15 * minute);
    await becomes('offline', 40 * minute);
    assert.equal(state().trouble?.kind, 'notReplaced');
    await becomesReachable();
    await pass(30 * minute);
    assert.deepEqual(
      [state().phase, state().attempt, state().trouble, ...count()],
      ['running', 1, undefined, 1, 0],
    );
  });

  it('replaces a machine whose jobs of another computer are over', async () => {
    machine.there = [{ id: 'feedfacefeedface01', name: 'eval', isAtWork: true }];
    await run({ retries: { interrupted: 1 } }, 'waiting');
    machine.there = [];
    await pass(15 * minute);
    await becomes('exited', 15 * minute);
    assert.deepEqual([state().attempt, ...count()], [2, 2, 1]);
  });

  it('waits half an hour for a machine whose host is away, and continues there if it returns', async () => {
    await run({ retries: { machineLost: 1 } });
    await becomes('offline', 25 * minute);
    assert.deepEqual(count(), [1, 0]);
    machine.trouble = undefined;
    await becomesReachable();
    await pass(30 * minute);
    assert.deepEqual([state().phase, state().attempt, ...count()], ['running', 1, 1, 0]);
    await becomes('offline', 40 * minute);
    assert.deepEqual([state().attempt, ...count()], [2, 2, 1]);
  });

  async function becomesReachable(): Promise<void> {
    service.instances = service.instances.map((one) => ({ ...one, actualStatus: 'running' }));
    await list();
    machine.trouble = undefined;
    await pass(5 * minute);
  }

  it('rents nothing dearer than was confirmed, shows that, and continues once an offer fits', async () => {
    await run({ retries: { machineLost: 1 } });
    service.offers = [anOffer({ id: 9002, machineId: 179, totalPerHour: fromDollars(0.41) })];
    await isDestroyedElsewhere();
    assert.deepEqual([state().trouble?.kind, ...count()], ['notReplaced', 1, 0]);
    assert.ok(window.noticeKinds().includes('notReplaced'));
    service.offers = [anOffer({ id: 9003, machineId: 180, totalPerHour: fromDollars(0.39) })];
    await pass(10 * minute);
    assert.deepEqual(
      [state().phase, state().machine?.instanceId, ...count()],
      ['gettingReady', second, 2, 0],
    );
  });

  it('counts what all machines cost against its dollars', async () => {
    await run({ retries: { machineLost: 5 }, limits: { hours: 100, costDollars: 1 } });
    await pass(60 * minute);
    await isDestroyedElsewhere();
    const spent = jobCost(window.row(job), computer.clock.now()) ?? (0 as Micros);
    assert.ok(spent > fromDollars(0.4) && spent < fromDollars(0.6), String(spent));
    another();
    await getsReady(second);
    const { limitSeconds = 0 } = machine.orders.at(-1) ?? {};
    assert.ok(limitSeconds > 0 && (limitSeconds / 3600) * 0.39 + spent / 1e6 <= 1, String(limitSeconds));
    await pass(80 * minute);
    await isDestroyedElsewhere();
    assert.deepEqual([state().outcome, service.count('offers.rent')], ['lost', 2]);
  });

  it('is not rented for twice where the answer is lost', async () => {
    await run({ retries: { machineLost: 1 } });
    service.failsAfter('offers.rent', () => new RentOutcomeUnknownError(new Error('reset')));
    await isDestroyedElsewhere();
    await pass(5 * minute);
    assert.deepEqual([state().attempt, state().machine?.instanceId, ...count()], [2, second, 2, 0]);
  });

  for (const call of ['instances.destroy', 'offers.rent']) {
    it(`follows what was rented where its window is killed after ${call}`, async () => {
      await run({ retries: { interrupted: 1 } });
      let isKilled = false;
      service.after = (name) => {
        if (name === call && !isKilled) {
          isKilled = true;
          window.owned.dispose();
        }
      };
      await becomes('exited', 15 * minute);
      assert.ok(isKilled);
      window = await open();
      await pass(30 * minute);
      await list();
      await pass(30 * minute);
      assert.equal(service.count('offers.rent'), 2);
      assert.deepEqual([state().attempt, state().machine?.instanceId], [2, second]);
    });
  }

  it('continues from the last checkpoint that is whole', async () => {
    await run({ retries: { machineLost: 1 }, checkpoints: ['outputs/*.ckpt'], fetchMinutes: 10 });
    machine.checkpointThere = ['outputs/1.ckpt'];
    machine.onFetch = async (into) => {
      await promises.mkdir(join(into, 'outputs'), { recursive: true });
      await promises.writeFile(join(into, 'outputs', 'last.ckpt'), 'weights');
    };
    await pass(9 * minute);
    assert.equal(state().checkpoint, undefined);
    await pass(2 * minute);
    assert.equal(state().checkpoint?.files, 1);
    machine.leavesOut = ['outputs/2.ckpt'];
    machine.checkpointThere = ['outputs/2.ckpt'];
    await pass(11 * minute);
    assert.equal(state().checkpoint?.hash, 'hash-of-outputs/1.ckpt');
    machine.leavesOut = [];
    await isDestroyedElsewhere();
    another();
    await getsReady(second);
    const [sent] = machine.trees.filter(({ key }) => key === job);
    assert.deepEqual(sent, { id: `${job}01`, key: job, names: ['outputs/last.ckpt'] });
    assert.equal(machine.orders.at(-1)?.previous, `${job}01`);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual(
      readdirSync(outputsTo).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('starts from the beginning if no checkpoint was fetched, and its command can see that', async () => {
    await run({ retries: { machineLost: 1 } });
    await isDestroyedElsewhere();
    another();
    await getsReady(second);
    assert.equal(machine.orders.at(-1)?.previous, undefined);
  });
});
