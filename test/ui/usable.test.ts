import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MachineManner } from '../../src/simulator/login/manners';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { haveKey, rentNow, searchAndReview } from '../support/rentJourney';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a machine that is ready once it is usable', function () {
  this.timeout(240_000);
  const session = useUiSession('usable', {
    // Slow enough that the stages of a start can be seen.
    simulator: { speed: 5, sshServer: true },
    settings: { 'gpuRental.budget.perDay': 10 },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');

  before(async () => {
    await haveKey(session());
    const { simulator } = session();
    // Machines of one price, so that one can take the place of another.
    const { json } = await simulator.call('POST', '/api/v0/bundles/', { gpu_name: { eq: 'RTX 3090' } });
    for (const { id } of (json as { offers: readonly { id: number }[] }).offers) {
      await simulator.call('PUT', `/__sim/offers/${id}/`, { price_per_gpu: 0.2 });
    }
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  async function rent(manner: MachineManner, typed: string, offer: RegExp): Promise<void> {
    await workbench.clearNotifications();
    session().simulator.orders.behave(manner, 1);
    await searchAndReview(workbench, typed, offer);
    await rentNow(session(), workbench);
  }

  it('shows each stage in the row and the status bar, and calls it ready after the login', async () => {
    const { simulator } = session();
    await rent('latePort', '1x 3090', /1× RTX 3090/);
    // The stage ends by itself, however long a busy computer takes to show it.
    await simulator.call('PUT', '/__sim/speed/', { speed: 2 });
    await instances()
      .row(/Waiting for its SSH port/)
      .waitFor({ timeout: 60_000 });
    await until('the stage in the status bar', async () =>
      /Waiting for its SSH port \d+ s/.test(await workbench.statusText('gpuRental.status')),
    );
    await workbench.shot('01-stage');
    await simulator.call('PUT', '/__sim/speed/', { speed: 5 });
    await workbench.toast(/is ready\. 1× RTX 3090, driver \d+, 24 GB · disk .* · GPU and disk OK/, 60_000);
    assert.match(await workbench.statusText('gpuRental.status'), /of \$10\/day/);
    await workbench.shot('02-ready');
  });

  it('shows what was not rented so, and asks before it rents another instead', async () => {
    await rent('otherGpu', '1x 3090', /1× RTX 3090/);
    const said = /it is not what was rented: GTX 1050 Ti instead of RTX 3090/;
    await workbench.toast(said, 60_000);
    await workbench.shot('03-not-as-rented');
    await instances()
      .row(/failed its check/)
      .waitFor();
    await workbench.toastButton(said, 'Replace');
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /lost for good/);
    await workbench.shot('04-replace');
    await workbench.dialogButton('Destroy and Rent Next Best');
    await workbench.toast(/is destroyed, and another machine is rented instead/, 60_000);
    await workbench.toast(/is ready\. 1× RTX 3090/, 60_000);
  });

  it('keeps what was rented before, with its log', async () => {
    await workbench.run('Show Rental History');
    await workbench.quick.waitForTitle('Rental History');
    await workbench.quick.rows.filter({ hasText: '1× RTX 3090' }).first().waitFor();
    await workbench.shot('05-history');
  });

  it('shows a machine that lacks a card in its message, its row and its page, and reports it', async () => {
    const { simulator } = session();
    await workbench.clearNotifications();
    await rent('usual', '2x 3090', /2× RTX 3090/);
    const id = simulator.world.instances.at(-1)?.id ?? 0;
    const machine = path.join(session().root, 'instances', `${id}.machine`);
    // It shows who is logged in, so that it can count its idle time.
    const login = path.join(machine, 'proc', '900');
    mkdirSync(login, { recursive: true });
    writeFileSync(path.join(login, 'cmdline'), 'sshd: root@notty');
    await workbench.toast(/is ready\. 2× RTX 3090/, 60_000);
    await workbench.clearNotifications();
    const tool = path.join(machine, 'bin', 'nvidia-smi');
    writeFileSync(tool, readFileSync(tool, 'utf8').replace('-v gpus=2', '-v gpus=1'));
    const row = instances().row('2× RTX 3090');
    await workbench.widenSideBar();
    await until('its timer', async () => /\(armed, checked/.test(await row.innerText()), {
      timeoutMs: 60_000,
    });
    await workbench.shot('06-armed', () => workbench.hoverText(row, /Carried out by: the instance itself/));
    // A connection soon after a proof needs no new one.
    const names = readdirSync(session().root, { recursive: true, encoding: 'utf8' });
    const proof = path.join(session().root, names.find((name) => name.endsWith(`proofs/${id}.json`)) ?? '');
    const kept = JSON.parse(readFileSync(proof, 'utf8')) as { readonly at: number };
    writeFileSync(proof, JSON.stringify({ ...kept, at: kept.at - 3_600_000 }));
    await workbench.page.reload();
    await workbench.ready();
    await row.waitFor({ timeout: 60_000 });
    await instances().inlineAction(row, 'Open Terminal', workbench.terminal);
    const said = /is running, but 1 of 2 GPUs answer\./;
    await workbench.toast(said, 90_000);
    await workbench.shot('06-fault');
    await workbench.toastButton(said, 'Open');
    const page = workbench.webview();
    await page.locator('.notice.warning', { hasText: '1 of 2 GPUs answer' }).waitFor({ timeout: 60_000 });
    await workbench.inThemes(async (theme) => {
      assert.deepEqual(await accessibilityFaults(page), [], theme);
    });
    await workbench.shot('07-page');
    await press(page.locator('[id="button-gpuRental.instance.reportMachine"]'));
    await workbench.quick.waitForTitle('Report Machine: #');
    await workbench.shot('08-problem');
    await workbench.quick.pick('Machine Performance Is Less Than Expected');
    await workbench.quick.waitForTitle('Less Than Expected');
    await workbench.shot('09-words');
    await workbench.quick.type('1 of 2 GPUs answer since noon');
    await workbench.dialog.filter({ hasText: 'to its owner?' }).waitFor();
    await workbench.shot('10-question');
    await workbench.dialogButton('Report Machine');
    await workbench.toast(/Machine #\d+ is reported\./);
    assert.deepEqual(
      simulator.received('PUT', /\/report$/).map(({ body: sent }) => sent),
      [
        {
          instance_id: id,
          problem: 'Machine Performance Is Less Than Expected',
          message: '1 of 2 GPUs answer since noon',
        },
      ],
    );
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
