import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { registerKey } from '../../support/feature/reachable';
import { evenPrices } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { until } from '../../support/until';

const hour = 3_600_000;

describe('a job whose computer is closed for longer than its limit', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const instances = () => computer().simulator.world.instances;
  const homes = () => path.join(computer().root, 'instances');

  /** The guard waits by the uptime of its machine, which goes on by as much as it sleeps, and at once. */
  function hurryUptime(machine: string): void {
    mkdirSync(path.join(machine, 'proc'), { recursive: true });
    writeFileSync(path.join(machine, 'proc', 'uptime'), '100000 0\n');
    const program = path.join(machine, 'bin', 'sleep');
    const lines = [
      '#!/bin/sh',
      'case "$1" in 10) ;; *) exec /bin/sleep "$1" ;; esac',
      'read -r up _ <"$HOST_PROC/uptime" && echo "$((up + 10)) 0" >"$HOST_PROC/uptime.new"',
      'mv "$HOST_PROC/uptime.new" "$HOST_PROC/uptime"',
      'exec /bin/sleep 0.02',
    ];
    writeFileSync(program, `${lines.join('\n')}\n`);
    chmodSync(program, 0o700);
  }

  before(async () => {
    await registerKey(computer());
    await evenPrices(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
  });

  it('has its machine stopped by the guard on it, with the outputs there', async () => {
    const go = path.join(computer().root, 'go');
    await writeJob(window, {
      run: `until [ -e ${go} ]; do sleep 0.1; done; mkdir -p outputs; printf model >outputs/model.bin`,
    });
    await reviewJob(window);
    await rentForJob(window);
    const machine = await computer().until('the machine', () => {
      const [name] = existsSync(homes()) ? readdirSync(homes()).filter((one) => /\.machine$/.test(one)) : [];
      return name && path.join(homes(), name);
    });
    hurryUptime(machine);
    await window.view('jobs').row(/train.*running/);
    window.close();
    writeFileSync(go, '');
    await until('the guard', () => instances()[0]?.intendedStatus === 'stopped', { timeoutMs: 30_000 });
    await computer().pass(2 * 60_000);
    assert.deepEqual(
      instances().map(({ actualStatus }) => actualStatus),
      ['exited'],
    );
    assert.equal(computer().simulator.received('DELETE', /^\/api\/v0\/instances\//).length, 0);
  });

  it('is reported at the next start in one message, with what is missing and what it costs', async () => {
    computer().clock.jump(8 * hour);
    window = await computer().openWindow({ isFocused: true });
    await window.toast(/is stopped before the outputs of train were fetched\. Storage still costs/);
    await computer().pass(5 * 60_000);
    assert.equal(window.toasts().length, 1, window.toasts().join('\n'));
    await window.view('jobs').row(/train.*machine is stopped/);
  });

  it('brings its outputs whole once they are fetched, and the machine ends as was agreed', async () => {
    await window.toastButton(/is stopped before the outputs of train/, 'Fetch Outputs of Job');
    await window.dialogButton('Start and Fetch');
    await window.toast(/^train: succeeded after .* for \$/);
    const runs = path.join(computer().workspace, 'gpu-outputs', 'train');
    const [run = ''] = readdirSync(runs);
    assert.equal(readFileSync(path.join(runs, run, 'outputs', 'model.bin'), 'utf8'), 'model');
    await window.toast(/is destroyed after train/);
    assert.equal(instances().length, 0);
    assert.equal(computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length, 1);
  });
});
