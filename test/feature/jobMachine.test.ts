import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rentForJob, reviewJob, writeJob } from '../support/feature/jobDriver';
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
    assert.match(rows, /Machine afterwards.*after success: destroy it.*after failure: stop it/);
    assert.match(rows, /Sent.*1 file/);
    assert.ok(!rows.includes('More Options'));
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('runs to its end, and its machine is destroyed once its outputs are here', async () => {
    await review();
    await rentForJob(window);
    await computer().until('the rental', () => instances().length === 1);
    await window.toast(/^train: succeeded after .* for \$/);
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
});
