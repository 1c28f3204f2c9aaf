import assert from 'node:assert/strict';
import { addBrokenRecord } from '../support/brokenRecord';
import { signIn } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

interface Deployment {
  readonly id: number;
  readonly name: string;
  readonly endpoint_state: string;
}

describe('hosting and serverless', function () {
  this.timeout(120_000);
  const session = useUiSession('hosting');
  let workbench: Workbench;

  it('shows the machines of an account that hosts', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    const hosting = workbench.view('Hosting');
    await hosting.header.waitFor();
    await hosting.open();
    await hosting.row(/rented|#\d+/).waitFor();
    await workbench.shot('01-machines');
    const { json } = await session().simulator.call('GET', '/api/v0/machines/');
    assert.equal((await hosting.rowTexts()).length > 0, json.machines.length > 0);
  });

  it('sets a minimum bid and says what the service took', async () => {
    const hosting = workbench.view('Hosting');
    await hosting.contextMenu(hosting.row(/#\d+/), 'Set Minimum Bid');
    await workbench.quick.waitForTitle(/Minimum Bid of Machine/);
    await workbench.quick.type('abc', { enter: false });
    await workbench.quick.widget
      .locator('.quick-input-message', { hasText: 'Enter dollars an hour' })
      .waitFor();
    await workbench.shot('02-minimum-bid');
    await workbench.quick.type('0.21');
    await workbench.toast(/accepts bids from \$0\.210 an hour/);
    const [sent] = session().simulator.received('PUT', /\/api\/v0\/machines\/\d+\/minbid\/$/);
    assert.deepEqual(sent?.body, { price: 0.21 });
  });

  it('shows the service’s reason when it refuses, and sends a write once', async () => {
    const { simulator } = session();
    for (const [status, error, told] of [
      [403, 'not_authorized', 'Because of not_authorized'],
      [404, 'not_found', 'does not know what was asked for'],
      [422, 'invalid_args', 'Because of invalid_args'],
    ] as const) {
      const before = simulator.received('PUT', /minbid/).length;
      simulator.fail({
        kind: 'error',
        method: 'PUT',
        path: '/api/v0/machines/*',
        status,
        error,
        msg: `Because of ${error}.`,
      });
      const hosting = workbench.view('Hosting');
      await hosting.contextMenu(hosting.row(/#\d+/), 'Set Minimum Bid');
      await workbench.quick.waitForTitle(/Minimum Bid of Machine/);
      await workbench.quick.type('0.3');
      const toast = await workbench.toast(told);
      assert.ok((await toast.innerText()).length > 20);
      await workbench.shot(`03-refused-${status}`);
      assert.equal(simulator.received('PUT', /minbid/).length, before + 1);
      await workbench.clearNotifications();
    }
  });

  it('schedules maintenance in UTC on the path without a final slash', async () => {
    const hosting = workbench.view('Hosting');
    await hosting.contextMenu(hosting.row(/#\d+/), 'Schedule Maintenance');
    await workbench.quick.waitForTitle(/Start/);
    await workbench.quick.type('2020-01-01 10:00', { enter: false });
    await workbench.quick.widget.locator('.quick-input-message', { hasText: 'past' }).waitFor();
    await workbench.quick.type('2031-05-06 07:30');
    await workbench.quick.waitForTitle(/Duration/);
    await workbench.quick.type('1.5');
    await workbench.quick.waitForTitle(/Category/);
    await workbench.quick.pick('Power');
    await workbench.quick.waitForTitle(/Reason/);
    await workbench.quick.type('New power supply');
    await workbench.dialog.waitFor();
    await workbench.shot('04-maintenance');
    await workbench.dialogButton('Schedule and Notify');
    await workbench.toast(/is scheduled/);
    const [sent] = session().simulator.received('PUT', /\/dnotify$/);
    assert.deepEqual(sent?.body, {
      sdate: new Date(2031, 4, 6, 7, 30).toISOString(),
      duration: 1.5,
      maintenance_reason: 'New power supply',
      maintenance_category: 'power',
    });
  });

  it('waits as long as the rate limit asks and then sends the bid again', async () => {
    const { simulator } = session();
    const before = simulator.received('PUT', /minbid/).length;
    simulator.fail({ kind: 'rateLimit', method: 'PUT', path: '/api/v0/machines/*', threshold: 1.5 });
    const hosting = workbench.view('Hosting');
    await hosting.contextMenu(hosting.row(/#\d+/), 'Set Minimum Bid');
    await workbench.quick.waitForTitle(/Minimum Bid of Machine/);
    await workbench.quick.type('0.25');
    await workbench.toast(/accepts bids from \$0\.250 an hour/);
    assert.equal(simulator.received('PUT', /minbid/).length, before + 2);
  });

  it('says why a maintenance window was refused', async () => {
    const { simulator } = session();
    simulator.fail({
      kind: 'error',
      method: 'PUT',
      path: '/api/v0/machines/*',
      status: 422,
      error: 'invalid_args',
      msg: 'Because it overlaps.',
    });
    const before = simulator.received('PUT', /\/dnotify$/).length;
    const hosting = workbench.view('Hosting');
    await hosting.contextMenu(hosting.row(/#\d+/), 'Schedule Maintenance');
    for (const [title, typed] of [
      [/Start/, '2031-05-06 07:30'],
      [/Duration/, '2'],
    ] as const) {
      await workbench.quick.waitForTitle(title);
      await workbench.quick.type(typed);
    }
    await workbench.quick.waitForTitle(/Category/);
    await workbench.quick.pick('Disk');
    await workbench.quick.waitForTitle(/Reason/);
    await workbench.quick.type('New disk');
    await workbench.dialogButton('Schedule and Notify');
    await workbench.toast(/Because it overlaps/);
    await workbench.shot('06-maintenance-refused');
    assert.equal(simulator.received('PUT', /\/dnotify$/).length, before + 1);
    await workbench.clearNotifications();
  });

  it('stops and starts a deployment, saying that it is kept', async () => {
    const { json } = await session().simulator.call('GET', '/api/v0/deployments/');
    const [active] = (json.deployments as Deployment[]).filter((each) => each.endpoint_state === 'active');
    assert.ok(active);
    await workbench.run('Stop Deployment…');
    await workbench.quick.pick(active.name);
    await workbench.dialog.filter({ hasText: 'kept, not deleted' }).waitFor();
    await workbench.dialogButton('Stop');
    await workbench.toast(/is now: stopped/);
    assert.equal(session().simulator.received('POST', `/api/v0/deployment/${active.id}/stop/`).length, 1);
    await workbench.run('Start Deployment…');
    await workbench.quick.pick(active.name);
    await workbench.toast(/is now: active/);
    assert.equal(session().simulator.received('POST', `/api/v0/deployment/${active.id}/start/`).length, 1);
    await workbench.shot('05-deployments');
  });

  it('says so when a deployment is gone, and asks once', async () => {
    const { simulator } = session();
    await workbench.clearNotifications();
    const before = simulator.received('POST', /\/stop\/$/).length;
    simulator.fail({
      kind: 'error',
      method: 'POST',
      path: '/api/v0/deployment/*',
      status: 404,
      error: 'not_found',
      msg: 'Deployment not found',
    });
    const { json } = await simulator.call('GET', '/api/v0/deployments/');
    const [active] = (json.deployments as Deployment[]).filter((each) => each.endpoint_state === 'active');
    assert.ok(active);
    await workbench.run('Stop Deployment…');
    await workbench.quick.pick(active.name);
    await workbench.dialogButton('Stop');
    await workbench.toast(/does not know what was asked for/);
    await workbench.shot('07-deployment-gone');
    assert.equal(simulator.received('POST', /\/stop\/$/).length, before + 1);
  });

  it('names machines and deployments that could not be read', async () => {
    const { simulator } = session();
    await addBrokenRecord(simulator, '/api/v0/machines/', 'machines');
    await addBrokenRecord(simulator, '/api/v0/deployments/', 'deployments');
    await addBrokenRecord(simulator, '/api/v0/auth/apikeys/', 'apikeys');
    const hosting = workbench.view('Hosting');
    const account = workbench.view('Account');
    await workbench.run('Refresh');
    await hosting.row('1 machine could not be read').waitFor();
    await hosting.row(/#\d+/).waitFor();
    // Room for all rows: the list keeps only those near the visible part in the page.
    await workbench.view('Instances').header.click();
    await hosting.header.click();
    await account.open();
    await account.expand(account.row('API Keys'));
    await account.row('1 entry could not be read').waitFor();
    await account.expand(account.row('Serverless Deployments'));
    await account.row('1 deployment could not be read').waitFor();
    await workbench.shot('09-not-read');
    simulator.faults.clear();
    await account.header.click();
    await hosting.open();
  });

  it('keeps the list of machines beside the reason when it cannot be read', async () => {
    const { simulator } = session();
    simulator.fail({
      kind: 'error',
      method: 'GET',
      path: '/api/v0/machines/',
      times: 0,
      status: 403,
      error: 'not_authorized',
      msg: 'No.',
    });
    const hosting = workbench.view('Hosting');
    await hosting.titleAction('Refresh');
    await hosting.row('Could not refresh').waitFor();
    await hosting.row(/#\d+/).waitFor();
    await workbench.shot('08-machines-stale');
    simulator.faults.clear();
  });
});
