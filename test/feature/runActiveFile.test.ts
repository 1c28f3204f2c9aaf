import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeJobs } from '../support/feature/jobDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('running the active file', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const ids: Record<string, number> = {};
  let window: FeatureWindow;

  before(async () => {
    ids['worker'] = await reachableInstance(computer(), 'worker');
    ids['helper'] = await computer().rentRunning({ label: 'helper', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.view('instances').row('helper');
    window.clearToasts();
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
  });

  /** Runs it on the instance that is picked, and says where it ran. */
  async function runOn(name: string): Promise<string> {
    const before = window.screen.terminals.history.length;
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.quick.row(/^worker/);
    await window.quick.pick(name);
    const { shellArgs } = await computer().until(
      'a terminal',
      () => window.screen.terminals.history[before]?.creationOptions,
    );
    const alias = [shellArgs ?? []].flat().find((arg) => /^gpu-/.test(arg)) ?? '';
    return Object.keys(ids).find((one) => alias.endsWith(`-${ids[one]}`)) ?? alias;
  }

  it('asks each time if several run, and runs on the chosen one', async () => {
    assert.equal(await runOn('worker'), 'worker');
    assert.equal(await runOn('helper'), 'helper');
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.quick.row(/^worker/);
    assert.match(window.quick.activeRow() ?? '', /helper/);
    window.quick.escape();
  });

  it('proposes what was chosen last in the workspace, also in the next window', async () => {
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('As a Job');
    await window.quick.title('Run train.py as a Job');
    window.quick.escape();
    window.close();
    const next = await computer().openWindow();
    await next.screen.documents.show(
      await next.screen.documents.open(path.join(computer().workspace, 'train.py')),
    );
    next.start('gpuRental.runActiveFile');
    await next.quick.row('In a Terminal');
    assert.match(next.quick.activeRow() ?? '', /As a Job/);
    next.quick.escape();
  });

  it('asks only for the instance if no folder has the file, as no job could run it', async () => {
    const next = await computer().openWindow();
    const file = path.join(computer().root, 'alone.py');
    writeFileSync(file, 'print(2)\n');
    await next.screen.documents.show(await next.screen.documents.open(file));
    next.start('gpuRental.runActiveFile');
    await next.quick.row(/^worker/);
    next.quick.escape();
  });

  it('runs a job of the workspace on the instance of a row without asking which', async () => {
    const next = await computer().openWindow();
    await next.view('instances').row('helper');
    await writeJobs(next, { train: { run: 'true', limits: { hours: 1, costDollars: 5 }, outputs: [] } });
    await next.view('instances').menu('helper', 'Run Job…');
    await next.quick.title('Run train: Confirm');
    assert.match(next.quick.rows().join('\n'), /Run on helper/);
    next.quick.escape();
  });
});
