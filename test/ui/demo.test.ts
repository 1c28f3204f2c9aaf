import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { confirmRental, generateKey, toConfirmation } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** Where the demo of this session runs, as the product notes it for its windows. */
interface DemoAddress {
  readonly pid: number;
  readonly port: number;
}

describe('the demo marketplace', function () {
  this.timeout(150_000);
  this.bail(true);
  const session = useUiSession('demo');
  let workbench: Workbench;
  const address = () => {
    const storage = path.join(
      session().host.dataDir,
      'data',
      'User',
      'globalStorage',
      'gpu-rental.gpu-rental',
    );
    return JSON.parse(readFileSync(path.join(storage, 'demo', 'address.json'), 'utf8')) as DemoAddress;
  };
  it('starts with one click, without an account', async () => {
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    await workbench.view('Instances').welcomeButton('Try the Demo Marketplace');
    await workbench.toast('This is the demo marketplace', 40_000);
    await workbench.view('Instances').welcome.filter({ hasText: 'You are not charged' }).waitFor();
    await workbench.shot('01-started');
    assert.deepEqual(session().simulator.requests(), [], 'the demo is not the service of the settings');
  });

  it('rents a simulated machine that is ready within a minute', async () => {
    await toConfirmation(workbench, {
      search: '4090 <2',
      offer: /[12]× RTX 4090/,
      label: 'first',
      shots: true,
    });
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    const row = workbench.view('Instances').row('first');
    await row.waitFor();
    await workbench.shot('02-rented');
    const rentedAt = Date.now();
    await row.filter({ hasText: 'Running' }).waitFor({ timeout: 90_000 });
    assert.ok(Date.now() - rentedAt < 60_000, `it took ${Date.now() - rentedAt} ms`);
    await workbench.shot('03-running');
  });

  it('opens over real SSH, and shows that it is a shell on this computer', async () => {
    const instances = workbench.view('Instances');
    await instances.contextMenu(instances.row('first'), /^Open Terminal$/);
    await workbench.terminalShows(/real shell on YOUR computer/);
    await workbench.inTerminal('nvidia-smi; echo demo-$((40 + 2))', /demo-42/);
    await workbench.clearNotifications();
    await workbench.shot('04-terminal');
    await workbench.run('Search Offers…');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor();
    await workbench.shot('04-all-together');
    await workbench.page.keyboard.press('Escape');
  });

  it('survives a reload of the window, machine included', async () => {
    const before = address();
    await workbench.page.reload();
    await workbench.ready();
    await workbench.openContainer('GPU Rental');
    await workbench
      .view('Instances')
      .row('first')
      .filter({ hasText: 'Running' })
      .waitFor({ timeout: 40_000 });
    assert.deepEqual(address(), before);
  });

  it('is started again, machine included, where its process has ended', async () => {
    const { pid } = address();
    process.kill(pid);
    await until('the end of the process', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
    await workbench.view('Instances').titleAction('Refresh');
    await until('a new process', () => address().pid !== pid);
    await workbench
      .view('Instances')
      .row('first')
      .filter({ hasText: 'Running' })
      .waitFor({ timeout: 60_000 });
    await workbench.shot('05-restarted');
  });

  it('caused no error in the window', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
