import assert from 'node:assert/strict';
import { isOver } from '../../../../src/jobs/model/job';
import { jobCost, jobMs } from '../../../../src/jobs/model/jobLimits';
import type { JobMachine } from '../../../../src/jobs/model/jobMachine';
import { fromDollars } from '../../../../src/model/money';
import { FakeJobDisk } from '../../../support/fakeJobDisk';
import { jobsScene, type JobsScene } from '../../../support/jobWindowScene';
import { aJob, FakeMachines, openJobWindow } from '../../../support/jobWindows';
import { seeded, sized, testSeed } from '../../../support/seeded';

const minute = 60_000;
const id = 5001;
const fields = { retries: { exitCodes: { '75': 2 } } };

describe('An attempt that follows another', () => {
  let { computer, machine: machines, pass, open } = {} as JobsScene<FakeMachines>;
  beforeEach(async () => {
    ({ computer, machine: machines, pass, open } = await jobsScene(new FakeMachines(18)));
  });
  afterEach(() => computer.dispose());

  /** Begins what waits on the machine for nothing that is left, as its runner does. */
  function settle(): void {
    for (const machine of machines.all) {
      const { after = [] } = machine.orders.at(-1) ?? {};
      const isFree = after.every((other) => !isAtWork(other));
      if (machine.phase === 'waiting' && isFree) {
        machine.phase = 'running';
      }
    }
  }
  const isAtWork = (attempt: string) => ['waiting', 'running'].includes(machines.of(attempt).phase);
  const running = () => machines.all.filter(({ phase }) => phase === 'running');

  it('waits for the job that waited for the first one, and what that one cost still counts', async () => {
    const window = await open();
    const a = (await window.jobs.order(aJob(id, fields), [])).id;
    const b = (await window.jobs.order(aJob(id, fields), [])).id;
    await pass(60 * minute);
    assert.equal(window.row(b).state.phase, 'waiting');
    machines.of(`${a}01`).ends({ code: 75, why: 'itself' });
    settle();
    await pass(minute);
    assert.deepEqual(machines.of(`${a}02`).orders.at(-1)?.after, [`${b}01`]);
    assert.deepEqual([window.row(a).state.phase, window.row(b).state.phase], ['waiting', 'running']);
    const first = jobMs(window.row(a), computer.clock.now());
    assert.ok(first >= 60 * minute && first <= 62 * minute, String(first));
    await pass(30 * minute);
    assert.equal(jobMs(window.row(a), computer.clock.now()), first);
    machines.of(`${b}01`).ends({ code: 0, why: 'itself' });
    settle();
    await pass(60 * minute);
    const cost = jobCost(window.row(a), computer.clock.now()) ?? 0;
    assert.ok(cost >= fromDollars(2) && cost <= fromDollars(2.1), String(cost));
    assert.equal(machines.of(`${a}02`).phase, 'running');
  });

  it('is not sent while another job is', async () => {
    const window = await open();
    const a = (await window.jobs.order(aJob(id, fields), [])).id;
    await pass(minute);
    const b = (await window.jobs.order(aJob(id, fields), [])).id;
    machines.of(`${b}01`).isTransferHeld = true;
    await pass(minute);
    assert.equal(window.row(b).state.phase, 'syncing');
    machines.of(`${a}01`).ends({ code: 75, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([window.row(a).state.phase, window.row(a).state.attempt], ['connecting', 2]);
    await window.jobs.stop(b);
    await pass(minute);
    assert.equal(window.row(a).state.phase, 'running');
  });

  it('and the jobs beside it work one at a time and reach their end, with any events between', async () => {
    for (let round = 0; round < sized(8, 60); round += 1) {
      const seed = testSeed + round;
      await play(seeded(seed), `seed ${seed}`);
    }
  });

  /** Ends jobs, lets time pass and kills windows in any order, while each call takes its time. */
  async function play(next: () => number, which: string): Promise<void> {
    machines = new FakeMachines(18);
    const disk = new FakeJobDisk();
    let mostSent = 0;
    /** The machine as one window has it: nothing of a killed one is under way. */
    const port = (): JobMachine => {
      let sending = 0;
      const slow = slowly(machines, () => aWhile(next));
      return {
        ...slow,
        sync: (...args) => {
          mostSent = Math.max(mostSent, (sending += 1));
          return slow.sync(...args).finally(() => (sending -= 1));
        },
      };
    };
    let window = await openJobWindow(computer, disk, port());
    const ids: string[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      const chance = next();
      if (chance < 0.2 && ids.length < 4) {
        ids.push((await window.jobs.order(aJob(id, fields), [])).id);
      } else if (chance < 0.5) {
        running()[0]?.ends({ code: next() < 0.6 ? 75 : 0, why: 'itself' });
      } else if (chance < 0.6) {
        window.close();
        await pass(20_000);
        window = await openJobWindow(computer, disk, port());
      }
      settle();
      assert.ok(running().length <= 1, `${which}: ${running().length} at once`);
      await pass(Math.floor(next() * 20_000));
      settle();
      assert.ok(running().length <= 1, `${which}: ${running().length} at once`);
    }
    for (let turn = 0; turn < 40; turn += 1) {
      running()[0]?.ends({ code: 0, why: 'itself' });
      settle();
      await pass(minute);
    }
    assert.ok(
      ids.every((job) => isOver(window.row(job))),
      which,
    );
    window.close();
  }

  function aWhile(next: () => number): Promise<void> {
    return new Promise((resolve) => {
      computer.clock.schedule(resolve, Math.floor(next() * 5000));
    });
  }
});

/** The same machine over a slow connection. */
function slowly(machine: JobMachine, wait: () => Promise<void>): JobMachine {
  return new Proxy(machine, {
    get: (port, name: keyof JobMachine) => {
      const call = port[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        await wait();
        return call.apply(port, args);
      };
    },
  });
}
