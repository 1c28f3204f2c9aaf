import { signIn } from '../support/journey';
import { runningInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const list = '/api/v0/commands/schedule_job/';

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
    // Left by another computer, for a full hour of tomorrow.
    const start = (Math.ceil(Date.now() / 3_600_000) + 24) * 3600;
    await session().simulator.call('POST', list, {
      instance_id: 99,
      api_endpoint: '/api/v0/instances/99/',
      request_method: 'DELETE',
      request_body: {},
      start_time: start,
      end_time: start + 60,
      frequency: 'WEEKLY',
      day_of_the_week: new Date(start * 1000).getUTCDay(),
      hour_of_the_day: new Date(start * 1000).getUTCHours(),
    });
    workbench = await session().window();
    await signIn(session(), workbench);
    await instances().row('trainer').waitFor();
    const left = /entries without a schedule on this computer: #99 will be destroyed at/;
    await workbench.toast(left, 60_000);
    await workbench.shot('00-left');
    await workbench.toastButton(left, 'Remove');
    await workbench.toast(/Removed from the timetable of the service: 1 of 1/);
    await workbench.shot('00-removed');
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
    await until('the entry', async () => {
      const { json } = await session().simulator.call('GET', list);
      return Array.isArray(json) && json.length === 1;
    });
    await workbench.widenSideBar();
    await workbench.shot('09-tooltip', () =>
      workbench.hoverText(row, /Timetable.*does not prove that it will run/s),
    );
    await instances().pick('trainer');
    await workbench.page.locator('.tab.active', { hasText: 'trainer' }).waitFor({ timeout: 60_000 });
    await workbench
      .webview()
      .getByText(/^stops it .*, also without an editor/)
      .waitFor();
    await workbench.shot('10-page');
  });
});
