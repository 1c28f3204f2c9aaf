import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { unpackOnstart } from '../../src/api/onstart';
import { withoutGuard } from '../../src/model/rentals/birthGuard';
import { confirmRental, generateKey, instanceLabelled, signIn, toConfirmation } from '../support/journey';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** The `~/.ssh` of the user who runs the tests, which nothing here may touch. */
const realSshFolder = path.join(os.userInfo().homedir, '.ssh');
const stateOfRealSsh = () => (existsSync(realSshFolder) ? `${statSync(realSshFolder).mtimeMs}` : 'not there');

describe('the main job', function () {
  this.bail(true);
  this.timeout(180_000);
  const apiKey = 'main-journey-secret-81c3';
  const session = useUiSession('main-journey', {
    simulator: { apiKey, speed: 20 },
    extensions: ['ui/remoteSsh'],
  });
  let workbench: Workbench;
  let instanceId: number;
  let alias: string;
  const realSsh = stateOfRealSsh();
  const instances = () => workbench.view('Instances');
  const row = () => instances().row('trainer');
  const received = (method: string, pattern: RegExp) => session().simulator.received(method, pattern);

  it('signs in', async () => {
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.shot('01-signed-in');
    await workbench.clearNotifications();
  });

  it('searches, asks step by step and shows what is rented before it is', async () => {
    await toConfirmation(workbench, {
      // Without a limit it is the price of the offer, and nothing could replace the cheapest one.
      search: '4090 <2',
      offer: /[12]× RTX 4090/,
      label: 'trainer',
      shots: true,
    });
    const rows = (await workbench.quick.rowTexts()).join('\n');
    for (const said of [/\$\S+\/h, \$\S+\/day/, /Stopped/, /Credit.*lasts/, /Label ?trainer/, /20 GB/]) {
      assert.match(rows, said);
    }
    assert.deepEqual(received('PUT', /asks/), []);
  });

  it('makes a key before money is spent, and rents once', async () => {
    const ordered = await session().simulator.call('POST', '/__sim/next-boot/', {
      outcome: 'exited',
      message: 'Error: OCI runtime create failed',
    });
    assert.equal(ordered.status, 200);
    await confirmRental(workbench);
    await generateKey(session(), workbench);
    await row().waitFor();
    const [rental, ...others] = received('PUT', /^\/api\/v0\/asks\/\d+\/$/);
    assert.deepEqual(others, []);
    const [registered] = received('POST', /^\/api\/v0\/ssh\/$/);
    assert.ok(registered && rental && registered.seq < rental.seq, 'the key came after the rental');
    const { label, onstart, ...body } = rental.body as Record<string, unknown>;
    assert.equal(withoutGuard(unpackOnstart(String(onstart))), '', 'only lines of ours come before a script');
    assert.match(String(label), /^trainer \[gr-[0-9a-f]{8}\]$/);
    assert.deepEqual(body, {
      image: 'pytorch/pytorch:latest',
      disk: 20,
      runtype: 'ssh_direct',
      cancel_unavail: true,
    });
    instanceId = instanceLabelled(session(), 'trainer').id;
    await workbench.shot('02-rented');
  });

  it('shows why the first machine fails, and replaces it with one click', async () => {
    const failed = instanceId;
    const toast = await workbench.toast(/trainer will not get ready/, 60_000);
    assert.match(await toast.innerText(), /OCI runtime create failed/);
    await workbench.shot('03-failed');
    await workbench.toastButton(/trainer will not get ready/, 'Destroy and Rent Next Best');
    const replacement = await until(
      'another machine',
      () => session().simulator.world.instances.find(({ id }) => id !== failed)?.id,
      { timeoutMs: 40_000 },
    );
    instanceId = replacement;
    await until('the failed machine to be gone', () => session().simulator.world.instances.length === 1);
    const [first, second, ...others] = received('PUT', /^\/api\/v0\/asks\/\d+\/$/);
    assert.deepEqual(others, []);
    assert.notEqual(second?.path, first?.path);
    assert.equal(received('DELETE', new RegExp(`^/api/v0/instances/${String(failed)}/$`)).length, 1);
  });

  it('follows the machine until it runs', async () => {
    await row().filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    await workbench.shot('04-running');
    await workbench.hoverText(row(), /RTX 4090[\s\S]*Cost so far/);
    await workbench.shot('05-hover');
  });

  it('opens it in an SSH window, in a folder of choice', async () => {
    const page = await session().opensWindow(async () => {
      await instances().contextMenu(row(), /^Connect$/);
      await workbench.quick.rows.first().waitFor({ timeout: 30_000 });
      await workbench.shot('06-folders');
      await workbench.quick.pickMatching(/workspace/);
    });
    const address = new URL(page.url());
    const authority = address.searchParams.get('authority') ?? '';
    assert.match(authority, new RegExp(`^ssh-remote\\+gpu-[0-9a-f]{6}-${String(instanceId)}$`));
    alias = authority.slice('ssh-remote+'.length);
    assert.match(
      address.searchParams.get('folder') ?? '',
      /^vscode-remote:\/\/ssh-remote\+gpu-.*\/workspace$/,
    );
    await page.close();
    assert.match(readFileSync(session().sshConfig, 'utf8'), /^# >>> GPU Rental >>>\n/);
  });

  it('logs in with the real client through the config that it wrote', async () => {
    await workbench.page.bringToFront();
    await instances().contextMenu(row(), /^Open Terminal$/);
    await workbench.terminalShows(/real shell on YOUR computer/);
    const shown = await workbench.inTerminal('nvidia-smi -L; echo done-$((40 + 2))', /done-42/);
    assert.match(shown, /GPU 0:/);
    await workbench.shot('07-terminal');
    const config = ['-F', session().sshConfig, '-o', 'BatchMode=yes'];
    const { stdout } = await promisify(execFile)('ssh', [...config, alias, 'nvidia-smi -L']);
    assert.match(stdout, /^GPU 0:/);
    await workbench.intoTerminal('exit');
    // The panel goes with its last terminal, and what is open then closes with it.
    await workbench.page.locator('.terminal-wrapper:visible').first().waitFor({ state: 'detached' });
  });

  it('stops it after asking, and shows what still costs money', async () => {
    await instances().contextMenu(row(), /^Stop…/);
    await workbench.dialog.filter({ hasText: '/day' }).waitFor();
    await workbench.shot('08-stop');
    await workbench.dialogButton('Stop');
    await row().filter({ hasText: 'Stopped' }).waitFor({ timeout: 40_000 });
    await workbench.shot('09-stopped');
    const [stop] = received('PUT', new RegExp(`^/api/v0/instances/${String(instanceId)}/$`));
    assert.deepEqual(stop?.body, { state: 'stopped' });
  });

  it('destroys it after asking, and makes sure that it is gone', async () => {
    await instances().contextMenu(row(), /^Destroy/);
    await workbench.dialog.filter({ hasText: 'lost for good' }).waitFor();
    await workbench.shot('10-destroy');
    await workbench.dialogButton('Destroy');
    await until('the machine to be gone', () => session().simulator.world.instances.length === 0);
    await row().waitFor({ state: 'detached' });
    await workbench.shot('11-destroyed');
    assert.equal(received('DELETE', new RegExp(`^/api/v0/instances/${String(instanceId)}/$`)).length, 1);
  });

  it('left no secret in any file of the editor, and the real SSH folder as it was', () => {
    assert.deepEqual(session().filesWithSecrets([apiKey]), []);
    assert.doesNotMatch(session().log(), new RegExp(apiKey));
    assert.equal(stateOfRealSsh(), realSsh);
  });

  it('caused no error in the window', () => {
    assert.deepEqual(workbench.errors, []);
  });
});
