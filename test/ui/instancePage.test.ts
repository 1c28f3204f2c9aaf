import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility';
import { signIn } from '../support/journey';
import { clickRow, press, pressEnter } from '../support/press';
import { rentRunning } from '../support/rentRunning';
import { pageShowsTheme } from '../support/theme';
import { lastingToasts, useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('the page of an instance', function () {
  this.timeout(240_000);
  const session = useUiSession('instancePage', {
    simulator: { speed: 20, sshServer: true },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let id: number;
  const row = () => workbench.view('Instances').row('trainer');

  /** The page once it is in front and says so of the state. */
  async function page(state: string): Promise<FrameLocator> {
    await workbench.page.locator('.tab.active', { hasText: 'trainer' }).waitFor();
    const shown = workbench.webview();
    await shown.locator('.tiles dd', { hasText: state }).first().waitFor({ timeout: 60_000 });
    return shown;
  }

  before(async () => {
    id = await rentRunning(session().simulator, { label: 'trainer', runtype: 'ssh_direct' });
    workbench = await session().window();
    await signIn(session(), workbench);
    await row().waitFor();
    await workbench.clearNotifications();
  });

  it('opens by a click on the row, and shows what it is, costs and allows', async () => {
    await clickRow(workbench.page, row());
    const shown = await page('Running');
    assert.match(await shown.locator('.notice').first().innerText(), /^trainer is running and costs \$/);
    await shown.locator('#button-gpuRental\\.instance\\.connect.primary').waitFor();
    await workbench.shot('01-running');
    await workbench.inThemes(async (theme) => {
      if (theme !== '') {
        await pageShowsTheme(shown, theme);
      }
      assert.deepEqual(await accessibilityFaults(shown), [], theme);
    });
  });

  it('stops the instance by keyboard, after the question, and follows it', async () => {
    const stop = workbench.webview().locator('#button-gpuRental\\.instance\\.stop');
    await stop.focus();
    await pressEnter(stop);
    await workbench.dialogButton('Stop');
    const shown = await page('Stopped');
    assert.deepEqual(
      session()
        .simulator.received('PUT', `/api/v0/instances/${id}/`)
        .map(({ body }) => body),
      [{ state: 'stopped' }],
    );
    assert.match(await shown.locator('.notice').first().innerText(), /Storage still costs \$.*\/day\.$/);
    await workbench.clearNotifications();
    await workbench.shot('02-stopped');
  });

  it('shows the record as JSON on demand', async () => {
    await press(workbench.webview().locator('#button-gpuRental\\.instance\\.showDetails'));
    await workbench.page.locator('.tab.active', { hasText: 'trainer.json' }).waitFor();
    await press(workbench.page.locator('.tabs-container .tab', { hasText: /^trainer$/ }));
    await page('Stopped');
  });

  it('is restored after a reload of the window', async () => {
    await workbench.page.reload();
    await page('Stopped');
    await workbench.shot('03-reloaded');
  });

  it('logs no error in the page', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
