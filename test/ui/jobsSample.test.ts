import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { confirmRental, generateKey } from '../support/journey';
import { lastingToasts, useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('the job of the sample in the demo', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('jobs-sample', { patches: lastingToasts });
  let workbench: Workbench;
  let startedAt: number;
  const folder = (...parts: string[]) =>
    path.join(session().root, 'home', 'gpu-rental-demo', 'sample', ...parts);

  it('is opened with two commands, without an account', async () => {
    startedAt = Date.now();
    workbench = await session().window('', {});
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').welcomeButton('Try the Demo Marketplace');
    await workbench.toast('This is the demo marketplace', 40_000);
    await workbench.clearNotifications();
    await workbench.run('Open Sample Workspace');
    await workbench.page.waitForURL(/gpu-rental-demo/);
    await workbench.ready();
    await workbench.page.locator('.explorer-folders-view', { hasText: 'train.sh' }).waitFor();
    await workbench.shot('01-opened');
  });

  it('is confirmed once, with the machine that is rented for it', async () => {
    await workbench.run('Run Job…');
    await workbench.quick.waitForTitle('Run Job');
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Search Offers for train');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('02-offers');
    await workbench.quick.enter({ isList: true });
    await workbench.quick.waitForTitle('Rent for train: Confirm');
    await workbench.quick.rows.filter({ hasText: 'and Run train' }).waitFor();
    await workbench.shot('03-confirm');
    assert.equal(await workbench.quick.rows.filter({ hasText: 'Show Only Offers That Fit' }).count(), 0);
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    await workbench.openContainer('GPU Rental');
  });

  it('runs to its end, and its outputs are in the workspace', async () => {
    const row = workbench.view('Jobs').row(/^train/);
    await row.waitFor();
    await workbench.shot('04-getting-ready');
    await row.filter({ hasText: 'running' }).waitFor({ timeout: 120_000 });
    await workbench.shot('05-running');
    await workbench.toast(/train: succeeded/, 120_000);
    await workbench.shot('06-succeeded');
    const runs = folder('gpu-outputs', 'train');
    const [run = ''] = readdirSync(runs);
    assert.match(readFileSync(path.join(runs, run, 'outputs', 'loss.svg'), 'utf8'), /<polyline/);
    assert.ok(existsSync(path.join(runs, run, 'outputs', 'model.json')));
  });

  it('gives the machine back', async () => {
    await workbench.toast(/is destroyed after train/, 60_000);
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    console.log(`      from the first window to the machine given back: ${seconds} s`);
    await workbench.view('Instances').row('Rental History').waitFor();
    assert.equal(
      await workbench
        .view('Instances')
        .row(/Running/)
        .count(),
      0,
    );
    await workbench.shot('07-given-back');
  });

  it('shows the chart of its loss', async () => {
    await workbench.toastButton(/train: succeeded/, 'Open Outputs of Job');
    const row = workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'outputs' });
    await row.first().waitFor();
    await workbench.shot('08-outputs');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    assert.deepEqual(workbench.errors, []);
  });
});
