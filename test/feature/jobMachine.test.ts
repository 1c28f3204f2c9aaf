import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { areJobsOver, jobsOnDisk, rentForJob, reviewJob, writeJob } from '../support/feature/jobDriver';
import { watchPrograms } from '../support/feature/programsRun';
import { registerKey } from '../support/feature/reachable';
import { evenPrices } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a job that a machine is rented for', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const instances = () => computer().simulator.world.instances;

  /** From the lens above the job to the confirmation of its machine. */
  async function review(): Promise<readonly string[]> {
    await writeJob(window, { run: 'sh train.sh' });
    return reviewJob(window);
  }

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openWindow();
    await window.signIn();
    window.clearToasts();
    writeFileSync(
      path.join(computer().workspace, 'train.sh'),
      'mkdir -p outputs; echo "epoch 1"; printf model >outputs/model.bin\n',
    );
  });

  it('is confirmed once, with its price, its end, what is sent and what becomes of the machine', async () => {
    const rows = (await review()).join('\n');
    assert.match(rows, /Rent for \$\S+\/h and Run train/);
    assert.match(rows, /Job ends at the latest.*after 1 h, which costs \$\S+ at most/);
    assert.match(rows, /^Machine after success.*destroy it \(all data on it is lost\)$/m);
    assert.match(rows, /^Machine after failure or at a limit.*stop it \(storage still costs money\)$/m);
    assert.match(rows, /Sent.*1 file/);
    // Hours that the job does not have would contradict its end.
    assert.match(rows, /^Traffic.*download .*, upload /m);
    assert.doesNotMatch(rows, /Estimate|More Options/);
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('names in its confirmation what another attempt may cost, and that the old machine is destroyed', async () => {
    await writeJob(window, { run: 'sh train.sh', retries: { interrupted: 3, machineLost: 1 } });
    const rows = (await reviewJob(window)).join('\n');
    assert.match(
      rows,
      /Runs again after.*interrupted: 3, machine lost: 1.*another machine costs \$0\.50\d*\/h at most, and the old one is destroyed; \$5\S* at most for all attempts/,
    );
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('runs to its end on a machine that was checked once, which is destroyed once its outputs are here', async () => {
    const programs = watchPrograms();
    await review();
    await rentForJob(window);
    await computer().until('the rental', () => instances().length === 1);
    await window.toast(/^train: succeeded after .* for \$/);
    programs.end();
    assert.equal(programs.lines.filter((line) => line.includes('gpu-rental proof')).length, 1);
    const [run = ''] = readdirSync(path.join(computer().workspace, 'gpu-outputs', 'train'));
    const model = path.join(computer().workspace, 'gpu-outputs', 'train', run, 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'model');
    await window.toast(/is destroyed after train/);
    assert.deepEqual([instances().length, rentals().length], [0, 1]);
    await window.view('jobs').row(/train.*succeeded/);
    window.clearToasts();
  });

  it('is carried on by the next window where this one is killed while its machine gets ready', async () => {
    await review();
    await rentForJob(window);
    await computer().until('the rental', () => instances().length === 1);
    window.kill();
    window = await computer().openWindow({ isFocused: true });
    await window.toast(/^train: succeeded after .* for \$/);
    await window.toast(/is destroyed after train/);
    assert.deepEqual([instances().length, rentals().length], [0, 2]);
    window.clearToasts();
  });

  it('is one of two that share the jobs of a matrix, with one confirmation and inside one limit', async () => {
    const matrix = { LR: ['0.1', '0.01', '0.001'] };
    const before = rentals().length;
    await writeJob(window, { run: 'echo "$LR" >outputs/lr', matrix, maxParallel: 2 });
    const rows = (await reviewJob(window)).join('\n');
    assert.match(rows, /Jobs.*3 on 2 machines, \$5\.00 at most for all of them/);
    assert.match(rows, /Each ends at the latest.*after 1 h, which costs \$\S+ at most/);
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

  it('is fewer than wanted where the others are not to be had, and the jobs share what there is', async () => {
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

  it('is kept after success where the file says so, and then no longer stops by itself', async () => {
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
