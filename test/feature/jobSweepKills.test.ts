import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { areJobsOver, rentForJob, reviewJob, writeJob } from '../support/feature/jobDriver';
import { atPlaces } from '../support/feature/jobPlaces';
import { registerKey } from '../support/feature/reachable';
import { evenPrices, rentalsOf } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';

/** Where the window ends, at which visit of the place, and how many machines are rented then. */
const places = [
  ['before write rental', 1, 1],
  ['before PUT /api/v0/asks/{id}/', 1, 1],
  ['after PUT /api/v0/asks/{id}/', 2, 2],
] as const;

for (const [place, visit, machines] of places) {
  describe(`a matrix whose window is killed between its two rentals, ${place}`, () => {
    const computer = useComputer({ simulator: { sshServer: true, credit: 10_000 } });
    const starts = () => {
      const file = path.join(computer().root, 'starts');
      return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    };

    it('rents no machine twice, starts no job twice and destroys each machine once', async () => {
      const { simulator } = computer();
      const { world } = simulator;
      const rented = new Map<number, string>();
      world.onDidChangeInstance(({ id, label }) =>
        rented.set(id, /\[(gr-\w+)\]$/.exec(label ?? '')?.[1] ?? ''),
      );
      await registerKey(computer());
      await evenPrices(computer());
      let window = await computer().openWindow();
      await window.signIn();
      window.clearToasts();
      const run = `echo "$GPU_RENTAL_JOB_ID" >>${path.join(computer().root, 'starts')}; echo x >outputs/x`;
      await writeJob(window, { run, matrix: { LR: ['0.1', '0.01', '0.001', '1'] }, maxParallel: 2 });
      await reviewJob(window);
      const killed = window;
      let left: number = visit;
      atPlaces(killed.fate, (seen) => {
        // From the first request on.
        if (seen !== place || rentalsOf(computer()).length === 0) return;
        left -= 1;
        if (left === 0) killed.kill();
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
      window.clearToasts();
    });
  });
}
