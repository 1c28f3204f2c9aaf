import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  areJobsOver,
  jobsOnDisk,
  openForJobs,
  rentForJob,
  reviewJob,
  writeJob,
} from '../../support/feature/jobDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('the machines that are rented for jobs', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const instances = () => computer().simulator.world.instances;

  before(async () => {
    window = await openForJobs(computer());
  });

  it('are followed by the next window where this one is killed while one gets ready', async () => {
    await writeJob(window, { run: 'sh train.sh' });
    await reviewJob(window);
    await rentForJob(window);
    await computer().until('the rental', () => instances().length === 1);
    window.kill();
    window = await computer().openWindow({ isFocused: true });
    await window.toast(/^train: succeeded after .* for \$/);
    await window.toast(/is destroyed after train/);
    assert.deepEqual([instances().length, rentals().length], [0, 1]);
    window.clearToasts();
  });

  it('share the jobs of a matrix, with one confirmation and inside one limit', async () => {
    const matrix = { LR: ['0.1', '0.01', '0.001'] };
    const before = rentals().length;
    await writeJob(window, { run: 'echo "$LR" >outputs/lr', matrix, maxParallel: 2 });
    const rows = (await reviewJob(window)).join('\n');
    assert.match(rows, /Jobs.*3 on 2 machines, \$5\.00 at most for all of them, without traffic/);
    assert.match(rows, /Ends at the latest.*after 1 h, which costs \$\S+ at most/);
    await rentForJob(window);
    for (const lr of matrix.LR) {
      await window.toast(new RegExp(`^train LR=${lr}: succeeded`));
      const folder = path.join(computer().workspace, 'gpu-outputs', `train LR=${lr}`);
      const [start = ''] = readdirSync(folder);
      assert.equal(readFileSync(path.join(folder, start, 'outputs', 'lr'), 'utf8'), `${lr}\n`);
    }
    await computer().until('the end of both machines', () => instances().length === 0);
    assert.equal(rentals().length - before, 2);
    window.clearToasts();
  });

  it('are fewer than wanted where the others are not to be had, and the jobs share what there is', async () => {
    const matrix = { SEED: [1, 2] };
    const before = rentals().length;
    await writeJob(window, { run: 'echo "$SEED" >outputs/seed', matrix, maxParallel: 2 });
    await reviewJob(window);
    const refusal = { kind: 'error', status: 400, error: 'invalid_args', msg: 'Taken.' } as const;
    computer().simulator.fail({ ...refusal, method: 'PUT', path: '/api/v0/asks/{id}/', skip: 1 });
    await rentForJob(window);
    await window.toast(/did not accept the rental/);
    await window.toast(/^train SEED=1: succeeded/);
    await window.toast(/^train SEED=2: succeeded/);
    await computer().until('the end of the machine', () => instances().length === 0);
    assert.equal(rentals().length - before, 2);
    window.clearToasts();
  });

  it('are kept after success if the file requests it, and then no longer stop by themselves', async () => {
    await writeJob(window, { run: 'sh train.sh', whenDone: { success: 'keep' } });
    const rows = (await reviewJob(window)).join('\n');
    assert.match(rows, /^Machine after success.*keep it \(it still costs money\)/m);
    await rentForJob(window);
    await window.toast(/^train: succeeded after .* for \$/);
    await computer().until('the end of the job', () => areJobsOver(computer()));
    assert.deepEqual(
      instances().map(({ intendedStatus }) => intendedStatus),
      ['running'],
    );
    // An earlier job can have left its machine to a later one, so that it counts as kept as well.
    const [last] = [...jobsOnDisk(computer())].sort((one, other) => (other?.since ?? 0) - (one?.since ?? 0));
    assert.equal(last?.outcome, 'kept');
    window.clearToasts();
  });
});
