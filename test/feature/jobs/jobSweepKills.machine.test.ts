import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { areJobsOver, jobsOnDisk, rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { atPlaces } from '../../support/feature/jobPlaces';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices, rentalsOf } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';

/** Where the window ends, at which visit of the place, and how many machines are rented then. */
const rates = ['0.1', '0.01', '0.001', '1'];
const places = [
  ['before write rental', 1, 1],
  ['before PUT /api/v0/asks/{id}/', 1, 1],
  ['after PUT /api/v0/asks/{id}/', 2, 2],
] as const;

/** The text of each job in the view, in the order of the file. */
const said = (rows: readonly string[]) =>
  rates.map((rate) => rows.find((row) => row.startsWith(`train LR=${rate} `))?.split(' · ')[0]);

for (const [place, visit, machines] of places) {
  describe(`a matrix whose window is killed between its two rentals, ${place}`, () => {
    const computer = useComputer({ simulator: { sshServer: true, credit: 10_000 } });
    const starts = () => {
      const file = path.join(computer().root, 'starts');
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    };

    it('rents no machine twice, starts no job twice, and shows which jobs never ran', async () => {
      const { simulator } = computer();
      const { world } = simulator;
      const rented = new Map<number, string>();
      world.onDidChangeInstance(({ id, label }) =>
        rented.set(id, /\[(gr-\w+)\]$/.exec(label ?? '')?.[1] ?? ''),
      );
      await registerKey(computer());
      await evenPrices(computer());
      let window = await computer().openSignedIn();
      window.clearToasts();
      const run = `echo "$GPU_RENTAL_JOB_ID" >>${path.join(computer().root, 'starts')}; echo x >outputs/x`;
      await writeJob(window, { run, matrix: { LR: rates }, maxParallel: 2 });
      await reviewJob(window);
      const killed = window;
      let left: number = visit;
      atPlaces(killed.fate, (seen) => {
        // From the first request on.
        if (seen !== place || rentalsOf(computer()).length === 0) {
          return;
        }
        left -= 1;
        if (left === 0) {
          killed.kill();
        }
      });
      await rentForJob(killed);
      await computer().until('the end of the window', () => !killed.isOpen);
      window = await computer().openWindow({ isFocused: true });
      await window.view('jobs').rows();
      await computer().until('the end of the jobs', () => areJobsOver(computer()), { withinMs: 60 * 60_000 });
      await computer().until('the end of the machines', () => world.instances.length === 0);
      await computer().pass(60 * 60_000);
      assert.deepEqual([rentalsOf(computer()).length, rented.size], [machines, machines]);
      assert.equal(new Set(rented.values()).size, rented.size, 'one machine for one mark');
      assert.equal(new Set(starts()).size, starts().length, 'each attempt starts once');
      const gone = simulator.received('DELETE', /^\/api\/v0\/instances\/\d+\/$/).map((one) => one.path);
      assert.deepEqual([gone.length, new Set(gone).size], [rented.size, rented.size]);
      assert.deepEqual(
        said(await window.view('jobs').texts()),
        rates.map((rate, index) => `train LR=${rate} ${index % 2 < machines ? 'succeeded' : 'not started'}`),
      );
      const without = jobsOnDisk(computer()).filter((state) => state?.machine === undefined);
      assert.deepEqual(
        without.map((state) => state?.outcome),
        machines === 1 ? ['notStarted', 'notStarted'] : [],
      );
      for (const rate of machines === 1 ? ['0.01', '1'] : []) {
        const { buttons } = await window.toast(`train LR=${rate} was not started.`);
        assert.deepEqual(buttons, ['Run Job Again…']);
      }
      window.clearToasts();
    });
  });
}

describe('a matrix whose window hangs between its two rentals', () => {
  const computer = useComputer({ simulator: { sshServer: true, credit: 10_000 } });

  it('rents nothing for jobs that another window gave up, and one of these runs again by itself', async () => {
    const { world } = computer().simulator;
    await registerKey(computer());
    await evenPrices(computer());
    const hung = await computer().openSignedIn();
    hung.clearToasts();
    await writeJob(hung, { run: 'echo "$LR" >outputs/lr', matrix: { LR: rates }, maxParallel: 2 });
    await reviewJob(hung);
    atPlaces(hung.fate, (seen) => {
      if (seen === 'after PUT /api/v0/asks/{id}/') {
        hung.fate.hang();
      }
    });
    await rentForJob(hung);
    await computer().until('the hanging window', () => hung.fate.isHung);
    const window = await computer().openWindow({ isFocused: true });
    await window.view('jobs').rows();
    for (const rate of ['0.01', '1']) {
      await window.toast(`train LR=${rate} was not started.`);
    }
    hung.fate.onDeed = undefined;
    hung.fate.goOn();
    await computer().until('the end of the jobs', () => areJobsOver(computer()), { withinMs: 60 * 60_000 });
    await computer().until('the end of the machine', () => world.instances.length === 0);
    await computer().pass(10 * 60_000);
    assert.equal(rentalsOf(computer()).length, 1, `${hung.log()}\n${window.log()}`);
    assert.deepEqual(
      said(await window.view('jobs').texts()),
      rates.map((rate, index) => `train LR=${rate} ${index % 2 === 0 ? 'succeeded' : 'not started'}`),
    );
    await window.toastButton('train LR=1 was not started.', 'Run Job Again…');
    await window.quick.title('Search Offers for train LR=1');
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for train LR=1: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /at its limit of \$1\.25|which costs \$\S+ at most/);
    assert.doesNotMatch(rows, /Jobs.*on/);
    window.quick.escape();
    hung.close();
    window.clearToasts();
  });
});
