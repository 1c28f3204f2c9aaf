import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { add, formatMoney, fromDollars } from '../../src/model/money';
import { addBrokenRecord } from '../support/brokenRecord';
import { signIn } from '../support/journey';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('volumes and what a destroy leaves', function () {
  this.timeout(240_000);
  const session = useUiSession('volumes', {
    simulator: { speed: 40, sshServer: 'auto' },
    patches: lastingToasts,
  });
  let workbench: Workbench;
  let instanceId: number;
  const instances = () => workbench.view('Instances');
  const row = (text: string | RegExp) => instances().row(text);
  const deletions = () => session().simulator.received('DELETE', '/api/v0/volumes/');
  const call = (method: string, address: string, body: unknown) =>
    session().simulator.call(method, address, body);

  const statusText = () => workbench.statusText('gpuRental.status');
  const statusShows = (expected: RegExp) =>
    until(`the status bar to show ${String(expected)}`, async () => expected.test(await statusText()));

  /** What the service charges an hour for the instance and all volumes. */
  async function costNow(): Promise<string> {
    const { instances: list } = (await call('GET', '/api/v0/instances/', undefined)).json;
    const { volumes } = (await call('GET', '/api/v0/volumes/', undefined)).json;
    const prices = [
      ...(list as readonly { dph_total: number }[]).map((one) => one.dph_total),
      ...(volumes as readonly { storage_total_cost: number }[]).map((one) => one.storage_total_cost),
    ];
    return formatMoney(add(...prices.map(fromDollars)));
  }

  /** A machine that has volumes, an instance on it with one of them, and a volume that nothing uses. */
  async function rentWithVolume(): Promise<void> {
    const { simulator } = session();
    const offers = await call('POST', '/api/v0/volumes/search/', { disk_space: { gte: 100 } });
    for (const offer of offers.json.offers as readonly { id: number; machine_id: number }[]) {
      const found = await call('POST', '/api/v0/bundles/', {
        machine_id: { eq: offer.machine_id },
        rentable: { eq: true },
      });
      const ask = found.json.offers[0];
      if (ask === undefined) continue;
      const rented = await call('PUT', `/api/v0/asks/${String(ask.id)}/`, {
        image: 'pytorch/pytorch:latest',
        disk: 10,
        label: 'trainer',
        runtype: 'ssh_direct',
        volume_info: { create_new: true, volume_id: offer.id, size: 50, name: 'corpus', mount_path: '/data' },
      });
      assert.equal(rented.status, 200, rented.text);
      instanceId = Number(rented.json.new_contract);
      const spare = await call('PUT', '/api/v0/volumes/', { id: offer.id, size: 20, name: 'spare' });
      assert.equal(spare.status, 200, spare.text);
      await until(
        'the instance to run',
        () => simulator.world.instance(instanceId)?.actualStatus === 'running',
        { timeoutMs: 60_000 },
      );
      return;
    }
    assert.fail('no machine has both an offer and room for a volume');
  }

  before(async () => {
    const key = path.join(session().root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${key}.pub`, 'utf8').trim() });
    await rentWithVolume();
    workbench = await session().window();
    session().simulator.fail({ kind: 'html500', method: 'GET', path: '/api/v0/volumes/', times: 0 });
    await signIn(session(), workbench);
    await row('trainer').waitFor();
    await workbench.clearNotifications();
  });

  it('shows an error as a row that tries again, not as no volumes', async () => {
    await row('Volumes').waitFor({ timeout: 60_000 });
    await instances().expand(row('Volumes'));
    await row('Could not load').waitFor();
    // What cannot be read may bill too.
    await statusShows(/1 running · ≥ \$\d+\.\d+\/h · ≤ \d+/);
    await workbench.shot('01-error');
    session().simulator.faults.clear();
    await row('Could not load').click();
    await row('spare').waitFor();
  });

  it('lists size, cost a day and what uses each, with the sum at the heading', async () => {
    for (const expected of [
      /Volumes ?2 · \$\d+\.\d+\/day/,
      /corpus ?50 GB · \$\d+\.\d+\/day · used by trainer/,
      /spare ?20 GB · \$\d+\.\d+\/day · unused/,
    ]) {
      await until(`a row like ${String(expected)}`, async () =>
        expected.test((await instances().rowTexts()).join('\n')),
      );
    }
    assert.match(await workbench.hoverText(row('spare'), /On machine/), /On machine \d+/);
    await workbench.shot('02-volumes');
    await until('the cost with volumes', async () =>
      (await statusText()).includes(`· ${await costNow()}/h ·`),
    );
    const status = workbench.statusItem('gpuRental.status');
    assert.match(await workbench.hoverText(status, /for volumes/), /Of it \$0\.\d+\/h for volumes/);
    await until('the cost in the heading', async () =>
      (await instances().header.innerText()).includes(`${await costNow()}/h`),
    );
  });

  it('names in each view what could not be read, and leaves it out of no sum', async () => {
    const { simulator } = session();
    const templates = workbench.view('Templates');
    const sshKeys = workbench.view('SSH Keys');
    await addBrokenRecord(simulator, '/api/v0/instances/', 'instances');
    await addBrokenRecord(simulator, '/api/v0/volumes/', 'volumes');
    await addBrokenRecord(simulator, '/api/v0/template/', 'templates');
    await addBrokenRecord(simulator, '/api/v0/ssh/');
    await templates.open();
    await sshKeys.open();
    await workbench.run('Refresh');
    await row('1 instance could not be read').waitFor();
    await row('1 volume could not be read').waitFor();
    await templates.row('1 template could not be read').waitFor();
    await sshKeys.row('1 SSH key could not be read').waitFor();
    await row('trainer').waitFor();
    await row('corpus').waitFor();
    await statusShows(/· ≥ \$\d+\.\d+\/h ·/);
    assert.match(await workbench.hoverText(row('1 instance could not'), /bill/), /They exist and bill/);
    await workbench.shot('02-not-read');
    simulator.faults.clear();
    await workbench.run('Refresh');
    // A row that goes later would move those that the next test clicks.
    await row('1 instance could not be read').waitFor({ state: 'detached' });
    await row('1 volume could not be read').waitFor({ state: 'detached' });
    await templates.row('1 template could not be read').waitFor({ state: 'detached' });
    await sshKeys.row('1 SSH key could not be read').waitFor({ state: 'detached' });
    await templates.header.click();
    await sshKeys.header.click();
  });

  it('refuses to delete one that is in use, and names the instance', async () => {
    await instances().contextMenu(row('corpus'), /^Delete Volume…$/);
    await workbench.toast(/Destroy trainer first: the volume corpus is in use there/);
    await workbench.shot('03-in-use');
    assert.deepEqual(deletions(), []);
    await workbench.clearNotifications();
  });

  it('deletes one after a question that says what is lost, and reads back', async () => {
    await instances().contextMenu(row('spare'), /^Delete Volume…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /Delete the volume spare\?/);
    assert.match(said, /lost for good/);
    assert.match(said, /spare · 20 GB · \$\d+\.\d+\/day/);
    await workbench.shot('04-question');
    assert.deepEqual(deletions(), []);
    await workbench.dialogButton('Delete');
    await workbench.toast(/spare is deleted/);
    await until('the row to go', async () => (await row('spare').count()) === 0);
    await until('the lower cost', async () => (await statusText()).includes(`· ${await costNow()}/h ·`));
    assert.equal(deletions().length, 1);
    await workbench.clearNotifications();
  });

  it('says before a destroy that the machine does not answer, and does not wait for it', async () => {
    const key = path.join(session().root, 'home', '.ssh', 'id_ed25519');
    await instances().contextMenu(row('trainer'), /^Copy SSH Command$/);
    await workbench.page.locator('.statusbar-item', { hasText: 'SSH command copied' }).waitFor();
    renameSync(key, `${key}.away`);
    await instances().contextMenu(row('trainer'), /^Destroy…$/);
    await workbench.dialog.waitFor();
    assert.match(await workbench.dialog.innerText(), /did not answer over SSH.*unsaved work/);
    await workbench.shot('05-no-answer');
    await workbench.dialogButton('Cancel');
    renameSync(`${key}.away`, key);
  });

  it('names the volume that survives with its price, unsaved work and the size of the folder', async () => {
    const repository = path.join(session().root, 'instances', String(instanceId), 'workspace', 'model');
    mkdirSync(repository, { recursive: true });
    execFileSync('git', ['-C', repository, 'init', '-q']);
    writeFileSync(path.join(repository, 'train.py'), 'print(1)\n');
    await instances().contextMenu(row('trainer'), /^Destroy…$/);
    await workbench.dialog.waitFor();
    const said = await workbench.dialog.innerText();
    assert.match(said, /goes on costing until you delete it: corpus \(50 GB, \$\d+\.\d+\/day\)/);
    assert.match(said, /workspace\/model: files not committed: 1/);
    assert.match(said, /workspace holds \d+ MB/);
    await workbench.shot('06-unsaved');
  });

  it('leads to the download first, and destroys nothing by that', async () => {
    await workbench.dialogButton('Download First…');
    await workbench.quick.waitForTitle('Download from trainer');
    await workbench.shot('07-download');
    await workbench.page.keyboard.press('Escape');
    assert.deepEqual(session().simulator.received('DELETE', /\/instances\//), []);
  });

  it('destroys once, after which the volume is shown as free', async () => {
    await instances().contextMenu(row('trainer'), /^Destroy…$/);
    await workbench.dialogButton('Destroy');
    await workbench.toast(/trainer is destroyed/, 60_000);
    await row('corpus').filter({ hasText: 'unused' }).waitFor();
    assert.equal(session().simulator.received('DELETE', /\/instances\//).length, 1);
    await workbench.shot('08-free');
  });
});
