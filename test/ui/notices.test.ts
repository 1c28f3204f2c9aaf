import assert from 'node:assert/strict';
import { signIn } from '../support/journey';
import { runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('what the service sends and stops by itself', function () {
  this.bail(true);
  this.timeout(300_000);
  const session = useUiSession('notices', {
    simulator: { speed: 20 },
    settings: { 'gpuRental.end.useServiceTimetable': true },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  const instances = () => workbench.view('Instances');
  const account = () => workbench.view('Account');

  it('is switched in the menu of the account', async () => {
    await runningInstance(session().simulator, 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await instances().row('trainer').waitFor();
    await workbench.clearNotifications();
    const { quick } = workbench;
    await account().open();
    await account().contextMenu(account().row('ada'), /^Notices…$/);
    await quick.waitForTitle('Notices');
    await workbench.shot('01-notices');
    await quick.pickMatching('E-mail');
    await quick.waitForTitle('Notices: E-mail');
    await workbench.shot('02-mails');
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('adds a webhook, whose secret it shows once', async () => {
    const { quick } = workbench;
    await account().open();
    await account().contextMenu(account().row('ada'), /^Notices…$/);
    await quick.waitForTitle('Notices');
    await quick.pickMatching(/Add Webhook/);
    await quick.waitForTitle('Add Webhook');
    await quick.input.fill('http://relay.example.org');
    await workbench.shot('03-address');
    await quick.input.fill('https://relay.example.org/gpu');
    await quick.enter({ isList: false });
    await quick.rows.filter({ hasText: 'Outbid' }).first().waitFor();
    await workbench.shot('04-events');
    await quick.enter({ isList: false });
    await workbench.page.locator('.monaco-dialog-box').waitFor();
    await workbench.shot('05-question');
    await workbench.dialogButton('Add Webhook');
    await quick.waitForTitle('Webhook Secret: Shown Only Once');
    await workbench.shot('06-secret');
    await quick.pickMatching(/I Have Stored It/);
    await quick.waitForTitle('Notices');
    await workbench.shot('07-webhook');
    await quick.pickMatching(/Webhook to relay/);
    await quick.waitForTitle('Webhook to relay.example.org');
    await workbench.shot('08-menu');
    await quick.pickMatching(/Send Test/);
    await workbench.toast(/relay\.example\.org accepted the test/);
    await workbench.page.keyboard.press('Escape');
    await quick.widget.waitFor({ state: 'hidden' });
  });

  it('is on the row and the page of an instance that stops at a time', async () => {
    const { quick } = workbench;
    const row = instances().row('trainer');
    await instances().contextMenu(row, /^End Later…$/);
    await quick.waitForTitle('Stop or Destroy trainer Later');
    await quick.pickMatching(/Stop After a Time/);
    await quick.waitForTitle('Stop When?');
    await quick.input.fill('3h');
    await quick.widget.locator('.monaco-list-row.focused', { hasText: 'In 3 h' }).waitFor();
    await quick.enter({ isList: true });
    await workbench.toast(/trainer will be stopped at/);
    const list = '/api/v0/commands/schedule_job/';
    await until('the entry', async () => {
      const { json } = await session().simulator.call('GET', list);
      return Array.isArray(json) && json.length === 1;
    });
    const text = await workbench.hoverText(row, /does not prove that it will run/);
    assert.match(text, /Timetable of the service/);
    await workbench.shot('09-tooltip');
    await instances().pick('trainer');
    await workbench.page.locator('.tab.active', { hasText: 'trainer' }).waitFor({ timeout: 60_000 });
    await workbench
      .webview()
      .getByText(/^stops it .*, also without an editor/)
      .waitFor();
    await workbench.shot('10-page');
  });
});
