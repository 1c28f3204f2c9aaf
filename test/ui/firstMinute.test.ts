import assert from 'node:assert/strict';
import { press } from '../support/press';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('the first minute', function () {
  this.timeout(90_000);
  const session = useUiSession('first-minute');
  let workbench: Workbench;

  it('shows an icon, three views and what there is to do', async () => {
    workbench = await session().window();
    await workbench.openContainer('GPU Rental');
    const instances = workbench.view('Instances');
    for (const offered of ['Sign In', 'Try the Demo Marketplace', 'How It Works', 'no charges']) {
      await instances.welcome.filter({ hasText: offered }).waitFor();
    }
    for (const name of ['Templates', 'SSH Keys']) {
      await workbench.view(name).header.waitFor();
    }
    await workbench.shot('01-welcome');
  });

  it('has not sent anything before a request of the user', () => {
    assert.deepEqual(session().simulator.requests(), []);
  });

  it('explains itself in a walkthrough', async () => {
    await press(workbench.view('Instances').welcome.locator('a', { hasText: 'How It Works' }));
    const steps = workbench.page.locator('.getting-started-step .step-title');
    await steps.first().waitFor();
    assert.equal(await steps.count(), 6);
    for (const index of [0, 1, 2, 3, 4, 5]) {
      await press(steps.nth(index));
      await workbench.webview().locator('svg text').first().waitFor();
      await workbench.shot(`02-walkthrough-${String(index + 1)}`);
    }
  });

  it('offers in the palette only what can be done', async () => {
    await workbench.quick.open('>GPU Rental: ');
    await workbench.quick.row('GPU Rental: Sign In…').waitFor();
    const rows = (await workbench.quick.rowTexts()).filter((row) => row.startsWith('GPU Rental:'));
    assert.ok(!rows.some((row) => row.startsWith('GPU Rental: Sign Out')), rows.join('\n'));
    assert.ok(!rows.some((row) => /Destroy|Stop|Start|Reboot/.test(row)), rows.join('\n'));
    await workbench.shot('03-palette');
    await workbench.page.keyboard.press('Escape');
    await workbench.quick.open('>GPU Rental: Try');
    await workbench.quick.row('GPU Rental: Try the Demo Marketplace').waitFor();
    await workbench.page.keyboard.press('Escape');
  });
});
