import assert from 'node:assert/strict';
import { isOver, newJobState, type DecisionKind } from '../../../../src/jobs/model/job';
import { Jobs } from '../../../../src/jobs/store/jobs';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { settle } from '../../../support/fakeClock';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { jobTrouble } from '../../../support/jobRow';
import { aJob, aRentedJob } from '../../../support/jobWindows';

const hour = 3_600_000;
const here = 5001;

describe('The jobs of an account', () => {
  let { computer } = {} as ComputerScene;
  let disk: FakeJobDisk;
  let jobs: Jobs;
  beforeEach(async () => {
    ({ computer } = await computerScene());
    disk = new FakeJobDisk();
    ({ jobs } = await open());
  });
  afterEach(() => computer.dispose());

  async function open() {
    const window = await computer.openSignedIn();
    const { clock, log } = computer;
    const parts = { ...window, clock, log, storage: () => disk.storage };
    const opened = window.owned.add(new Jobs(parts));
    await opened.ready;
    return { window, jobs: opened };
  }
  const order = (instanceId = here) => jobs.order(aJob(instanceId), []);
  const row = (id: string, from = jobs) => {
    const found = from.find(id);
    assert.ok(found);
    return found;
  };
  const end = async (id: string) => {
    await jobs.putState({ ...row(id).state, phase: 'over', outcome: 'kept' });
  };

  const decisions: readonly (readonly [string, (id: string) => Promise<boolean>, DecisionKind])[] = [
    ['a stop', (id) => jobs.stop(id), 'stop'],
    ['more time', (id) => jobs.extend(id, { hours: 9, costDollars: 9 }), 'extend'],
    ['another try', (id) => jobs.retry(id), 'retry'],
    ['a pause', (id) => jobs.pauseFetch(id), 'pauseFetch'],
    ['a copy', (id) => jobs.copyOutputs(id), 'copy'],
    ['an end', (id) => jobs.endMachine(id, 'keep'), 'endMachine'],
  ];
  for (const [what, decide, name] of decisions) {
    it(`follow ${what} in every window, later than what was decided before a clock was set back`, async () => {
      const other = await open();
      const { id } = await order();
      const at = (from = jobs) => row(id, from).job.decidedAt[name] ?? 0;
      assert.equal(await decide(id), true);
      assert.equal(at(), computer.clock.now());
      await settle();
      assert.equal(at(other.jobs), at());
      computer.clock.jump(-hour);
      const before = at();
      const [, next = decide, later = name] = name === 'retry' ? (decisions[3] ?? []) : (decisions[2] ?? []);
      await next(id);
      assert.equal(row(id).job.decidedAt[later], before + 1);
      await end(id);
      assert.equal(await decide(id), false, 'it is over');
      assert.equal(await decide('fedcba9876543210'), false);
    });
  }

  it('are stopped once, at the first word', async () => {
    const { id } = await order();
    await jobs.stop(id);
    const at = row(id).job.decidedAt.stop;
    await computer.clock.advance(1000);
    await jobs.stop(id);
    assert.equal(row(id).job.decidedAt.stop, at);
  });

  it('are ordered one after the other, also after the clock was set back', async () => {
    const times: number[] = [];
    for (const back of [0, 0, hour]) {
      computer.clock.jump(-back);
      times.push((await order()).orderedAt);
    }
    const [first = 0, second, third] = times;
    assert.deepEqual([second, third], [first + 1, first + 2], 'after those that are open');
  });

  for (const [backMs, isLater] of [
    [999, true],
    [1000, false],
  ] as const) {
    it(`are ordered ${isLater ? 'after' : 'apart from'} one that is gone, from ${backMs} ms before it`, async () => {
      const { id, orderedAt } = await order();
      await jobs.forget(id);
      computer.clock.jump(-backMs);
      assert.equal((await order()).orderedAt, isLater ? orderedAt + 1 : computer.clock.now());
    });
  }

  it('keep their turn on the machine that was rented for them, and are last on another one', async () => {
    const { id } = await jobs.order(aRentedJob({ marker: 'first' }), []);
    const { orderedAt } = row(id).job;
    await computer.clock.advance(1000);
    for (const [marker, at] of [
      ['first', orderedAt],
      ['second', orderedAt + 1000],
    ] as const) {
      await jobs.rentedBy(id, marker);
      assert.deepEqual([row(id).job.rental, row(id).job.orderedAt], [{ marker }, at]);
    }
  });

  it('await a rental until they are stopped, over, forgotten or given up', async () => {
    const [a, b, c, d] = [await order(), await order(), await order(), await order()];
    for (const { id } of [a, b, c, d]) {
      assert.equal(await jobs.awaitsRental(id), true);
    }
    await jobs.stop(a.id);
    await end(b.id);
    await jobs.forget(c.id);
    await jobs.putState({ ...row(d.id).state, unrentedSince: 1 });
    for (const { id } of [a, b, c, d]) {
      assert.equal(await jobs.awaitsRental(id), false);
    }
  });

  it('show what the disk refused until it is stored, right as it is there, or another window leads', async () => {
    const { id } = await order();
    const stored = row(id).state;
    const unsaved = { ...stored, ...jobTrouble('notSaved') };
    let changes = 0;
    jobs.onDidChange(() => (changes += 1));
    for (const isStored of [false, true]) {
      jobs.showUnsaved(unsaved);
      await settle();
      assert.equal(row(id).state.trouble?.kind, 'notSaved');
      const before = changes;
      if (isStored) {
        await jobs.putState(stored);
      } else {
        jobs.showSaved(id);
      }
      await settle();
      assert.equal(row(id).state.trouble, undefined);
      assert.ok(before > 0 && changes > before);
    }
    const quiet = changes;
    jobs.showSaved(id);
    await settle();
    assert.equal(changes, quiet, 'nothing was refused');
    const other = await open();
    other.jobs.showUnsaved(unsaved);
    assert.equal(row(id, other.jobs).state.trouble?.kind, 'notSaved');
    const [first] = computer.hubs.hubs;
    first?.dispose();
    assert.equal(row(id, other.jobs).state.trouble, undefined);
  });

  it('leave nothing behind that were forgotten', async () => {
    const { id } = await order();
    const { state } = row(id);
    await jobs.forget(id);
    await jobs.putState({ ...state, phase: 'running' });
    assert.deepEqual([jobs.find(id), await jobs.reread(id)], [undefined, undefined]);
  });

  it('are those of a machine that are open, and at risk as long as they are not over', async () => {
    const [one, other, ended] = [await order(), await order(5002), await order()];
    await end(ended.id);
    assert.ok(isOver(row(ended.id)));
    const ids = (rows: typeof jobs.rows) => rows.map(({ job }) => job.id);
    assert.deepEqual(ids(jobs.ofInstance(here)), [one.id]);
    assert.deepEqual(ids(jobs.atRiskOn(here)), [one.id]);
    assert.deepEqual(ids(jobs.atRiskOn(5002)), [other.id]);
    disk.damageState(ended.id, 1);
    await jobs.endMachine(one.id, 'keep');
    assert.deepEqual(ids(jobs.atRiskOn(here)).sort(), [one.id, ended.id].sort(), 'its progress is lost');
  });

  it('are found that no window announced, which costs a read once', async () => {
    const job = { ...aJob(here), id: '00000000000000ff', orderedAt: 1 };
    await disk.storage.putState(newJobState(job));
    await disk.storage.put(job);
    disk.broken.add('00000000000000ee');
    await jobs.findUnannounced();
    assert.ok(jobs.find(job.id));
    const { reads } = disk;
    await jobs.findUnannounced();
    assert.equal(disk.reads, reads);
    assert.equal(jobs.find('00000000000000ee'), undefined);
  });

  it('need an account that is signed in', async () => {
    const { window, jobs: other } = await open();
    await window.accounts.signOut(window.accounts.active?.key ?? '');
    await other.ready;
    assert.throws(() => other.log('a'), /Sign in first/);
    await other.findUnannounced();
  });
});
