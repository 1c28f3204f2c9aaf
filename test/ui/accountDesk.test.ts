import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { clickRow, press, pressEnter, scrollTo } from '../support/press';
import { registerOwnKey } from '../support/reachableInstance';
import { rentRunning } from '../support/rentRunning';
import { lastingToasts, useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('what a user does with an account beside renting', function () {
  this.timeout(180_000);
  const session = useUiSession('accountDesk', {
    simulator: { speed: 20, sshServer: true },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const trainer = () => instances().row('trainer').first();
  const dialog = () => workbench.page.locator('.monaco-dialog-box');
  const answer = async (title: string, text: string) => {
    await workbench.quick.waitForTitle(title);
    await workbench.quick.input.fill(text);
    await pressEnter(workbench.quick.input);
  };

  before(async () => {
    const { simulator } = session();
    await registerOwnKey(session());
    const id = await rentRunning(simulator, { label: 'trainer', runtype: 'ssh_direct' });
    const start_time = Math.floor(Date.now() / 1000) + 8 * 3600;
    const machine_id = simulator.world.instance(id)?.machineId ?? 0;
    const body = [{ id: 4, start_time, duration_hours: 3, maintenance_category: 'power', machine_id }];
    simulator.fail({
      ...{ kind: 'answer', method: 'POST', path: '/api/v0/machines/maintenances', status: 200, body },
      times: 0,
    });
    workbench = await session().window();
    await signIn(session(), workbench);
  });

  it('is warned of the maintenance that a host plans', async () => {
    await workbench.toast('The host of trainer plans maintenance', 60_000);
    await trainer().filter({ hasText: 'maintenance:' }).waitFor();
    await workbench.shot('01-planned-maintenance');
    await workbench.clearNotifications();
  });

  it('shares access to an instance, for a time', async () => {
    const file = path.join(session().root, 'ana');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ana', '-f', file]);
    await instances().expand(trainer());
    const keys = instances().row('SSH keys').first();
    await instances().inlineAction(keys, 'Share Access…', workbench.quick.title('Share Access'));
    await workbench.shot('02-share-whose-key');
    await workbench.quick.pickMatching(/Paste a Public Key/);
    await answer('Share Access', readFileSync(`${file}.pub`, 'utf8').trim());
    await answer('Share Access', 'Ana');
    await workbench.quick.rows.filter({ hasText: 'Until You Take It Back' }).waitFor();
    await workbench.shot('03-share-for-how-long');
    await workbench.quick.pickMatching(/^8 h/);
    await dialog().filter({ hasText: 'Share access to trainer with Ana?' }).waitFor();
    await workbench.shot('04-share-question');
    await workbench.dialogButton('Share Access');
    await workbench.toast('trainer accepts the key of Ana');
    await workbench.shot('05-shared');
    await workbench.clearNotifications();
  });

  it('sees on the page who has access, and from which day a deposit pays', async () => {
    await clickRow(workbench.page, trainer());
    const page = workbench.webview();
    const access = page.locator('section[aria-labelledby="heading-access"]');
    await access.filter({ hasText: 'shared until' }).waitFor();
    await scrollTo(access);
    await workbench.shot('06-access');
    await press(page.getByRole('button', { name: 'Read Deposit' }));
    await scrollTo(page.getByText('Discount so far'));
    await workbench.shot('07-deposit');
    assert.deepEqual(await accessibilityFaults(page), []);
  });

  it('learns what is in a snapshot and who gets the password before one is taken', async () => {
    await instances().contextMenu(trainer(), /^Take Snapshot/);
    await workbench.shot('08-registry-login');
    await workbench.quick.pickMatching(/Enter a Login/);
    await answer('Take Snapshot', 'registry.example.com');
    await answer('Take Snapshot', 'ana');
    await answer('Take Snapshot', 'push-only-4711');
    await answer('Take Snapshot', 'ana/warm');
    await workbench.quick.pickMatching(/Pause the Instance/);
    await dialog().filter({ hasText: 'Take a snapshot of trainer?' }).waitFor();
    await workbench.shot('09-snapshot-question');
    await workbench.dialogButton('Cancel');
  });

  it('sees as a host what each GPU earned, and the maintenance of a machine', async () => {
    await workbench.run('Show Earnings');
    const page = workbench.webview();
    await page.locator('#root[aria-busy="false"] h1', { hasText: 'Earnings' }).waitFor();
    await scrollTo(page.getByText('Per GPU').first());
    await workbench.shot('10-earnings-per-gpu');
    const hosting = workbench.view('Hosting');
    await instances().close();
    await hosting.open();
    await hosting.row('#').first().waitFor();
    await workbench.shot('11-hosting');
  });
});
