import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hostsNamed } from '../support/feature/parkedDriver';
import { reachableInstance } from '../support/feature/reachable';
import { evenPrices, occupyGpus } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('A workspace on an instance whose GPU another user has', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let folder: string;
  let old = 0;
  const instances = () => window.view('instances');
  const destroyed = () => computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length;
  const rented = () =>
    computer().simulator.world.instances.filter(({ label }) => label?.startsWith('trainer')).length;
  const states = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${old}/`)
      .map(({ body }) => (body as { state: string }).state);
  const newest = () => Math.max(...computer().simulator.world.instances.map(({ id }) => id));

  before(async () => {
    await evenPrices(computer());
    old = await reachableInstance(computer(), 'trainer');
    folder = path.join(computer().root, 'work', 'project');
    mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
    writeFileSync(path.join(folder, 'node_modules', 'index.js'), 'pad'.repeat(1000));
    writeFileSync(path.join(folder, 'train.py'), 'epochs = 3\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'model.bin'), Buffer.alloc(2_000_000, 'model'));
    execFileSync('git', ['init', '-q', folder]);
    window = await computer().openSignedIn();
    await instances().row('trainer');
    // The first login.
    await instances().menu('trainer', 'Park…');
    await window.quick.title('Park');
    await window.quick.type(folder);
    await window.dialogButton('Keep Instance', /project and destroy trainer\?/);
    await instances().menu('trainer', 'Stop…');
    await window.dialogButton('Stop');
    await instances().row(/^trainer.*Stopped/);
    // The disk of the stopped instance, which only its host can read.
    const disk = path.join(computer().root, 'instances', `${old}.machine`, 'outside', folder);
    mkdirSync(path.dirname(disk), { recursive: true });
    cpSync(folder, disk, { recursive: true, preserveTimestamps: true });
    rmSync(folder, { recursive: true });
    await occupyGpus(computer(), old);
    window.clearToasts();
  });

  const chooseFolder = async () => {
    await window.quick.title('Move');
    await window.quick.type(folder);
    return window.dialog(/^Move .*project off trainer\?/);
  };

  it('is offered to be moved, with what the host can not prove and what stays, and changes nothing unasked', async () => {
    await instances().menu('trainer', 'Start…');
    await window.dialogButton('Start');
    await window.toastButton(/is waiting for its GPU, which another user has/, 'Move…');
    const question = await chooseFolder();
    for (const part of [
      /Saved to this computer, with Git history: 2\.0 MB\./,
      /Left out, because it can be made again: node_modules \(3\.0 kB\)\./,
      /Traffic there and back costs about \$/,
      /names, sizes and times are compared, contents are not\. trainer stays stopped for \$\S+\/day until you destroy it\./,
    ]) {
      assert.match(question.detail ?? '', part);
    }
    question.press('Keep Instance');
    await computer().rest();
    assert.deepEqual([rented(), states()], [1, ['stopped', 'running']]);
  });

  it('rents nothing where the start could not be canceled', async () => {
    window.clearToasts();
    computer().simulator.fail({ kind: 'dropBefore', method: 'PUT', path: '/api/v0/instances/{id}/' });
    await instances().menu('trainer', 'Move…');
    (await chooseFolder()).press('Choose Offer…');
    await window.quick.title(/Move/);
    await window.quick.pick(/^1× GTX/);
    await window.quick.row(/^Kept trainer stays stopped for \$\S+\/day until you destroy it/);
    await computer().pass(1000);
    await window.quick.pick(/and Move/);
    await window.toast(/The start of trainer is not confirmed as canceled, so no other instance was rented/, {
      withinMs: 120_000,
    });
    assert.equal(rented(), 1);
  });

  it('is on the next instance under the same host name, and the old one stays stopped at its price', async () => {
    window.clearToasts();
    window.quick.escape();
    await instances().menu('trainer', 'Move…');
    (await chooseFolder()).press('Choose Offer…');
    await window.quick.title(/Move/);
    await window.quick.pick(/^1× GTX/);
    await window.quick.row(/^Kept/);
    await computer().pass(1000);
    await window.quick.pick(/and Move/);
    await window.toast(
      /^project of trainer is on trainer, as the host sent it, without hashes\. The old instance #\d+ stays stopped for \$\S+\/day until you destroy it: compare the contents first/,
      { withinMs: 1_800_000 },
    );
    assert.equal(readFileSync(path.join(folder, 'train.py'), 'utf8'), 'epochs = 3\n');
    assert.equal(existsSync(path.join(folder, 'node_modules')), false);
    assert.deepEqual([destroyed(), rented(), states().at(-1)], [0, 2, 'stopped']);
    assert.deepEqual(hostsNamed(computer(), 'gpu-ws-project'), [newest()]);
    await instances().row(/^project of trainer \$\S+\/day: old instance stays stopped · moved .* · 2\.0 MB$/);
    await instances().row(/^trainer.*Stopped/);
  });

  it('shows before the old instance is destroyed that it was not proved', async () => {
    await window.toastButton(/stays stopped for/, 'Destroy…');
    const question = await window.dialog(/^Destroy “trainer”\?/);
    assert.match(
      question.detail ?? '',
      /⚠ project of trainer was moved by names and sizes\. Compare the contents first\./,
    );
    question.press('Destroy');
    await instances().row(/^project of trainer costs nothing · moved .* · 2\.0 MB$/);
    assert.equal(destroyed(), 1);
  });
});
