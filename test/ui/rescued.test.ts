import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { occupyGpus } from '../support/feature/rentDriver';
import { confirmRental, instanceLabelled, signIn } from '../support/journey';
import { haveKey, rentNow, reviewFirst } from '../support/rentJourney';
import { useUiSession } from '../support/uiSession';
import { Workbench } from '../support/workbench';

describe('a workspace that is moved off an instance whose GPU is gone', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('rescued', {
    extensions: ['ui/remoteSsh'],
    patches: ['sharedSecrets', 'authority', 'sshWindow', 'lastingToasts'],
  });
  let workbench: Workbench;
  let id: number;
  let address: string;
  const there = (...parts: string[]) => path.join(session().root, 'work', 'project', ...parts);
  const onMachine = (...parts: string[]) => path.join(session().root, 'instances', ...parts);
  const instances = () => workbench.view('Instances');
  const waiting = /trainer is waiting for its GPU, which another user has/;
  const moved = /project of trainer is on trainer, as the host sent it/;

  /** Opens what a message offers, and returns the address of the window, which names host and folder. */
  async function opened(message: RegExp, button: string, shot: string): Promise<string> {
    const page = await session().opensWindow(() => workbench.toastButton(message, button));
    const connected = Workbench.of(page, 'rescued');
    await connected.ready();
    await connected
      .statusItem('gpuRental.status')
      .filter({ hasText: 'trainer' })
      .waitFor({ timeout: 60_000 });
    await connected.shot(shot);
    const url = page.url();
    await page.close();
    await workbench.page.bringToFront();
    return url;
  }

  before(async () => {
    const { root } = session();
    await haveKey(session());
    mkdirSync(path.join(root, 'workspace', '.vscode'));
    writeFileSync(
      path.join(root, 'workspace', '.vscode', 'gpu-rental.json'),
      JSON.stringify({ image: 'pytorch/pytorch:latest', maxPricePerHour: 0.5, folder: there() }),
    );
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  it('is worked on, and stopped', async () => {
    await workbench.run('Rent for This Workspace…');
    await workbench.quick.waitForTitle('Search Offers for This Workspace');
    await reviewFirst(workbench, /RTX 3090/);
    await workbench.quick.pick('Label');
    await workbench.quick.waitForTitle('Rent: Label');
    await workbench.quick.type('trainer');
    await rentNow(session(), workbench);
    await workbench.toast(/trainer is ready/, 120_000);
    ({ id } = instanceLabelled(session(), 'trainer'));
    mkdirSync(there('.venv'), { recursive: true });
    writeFileSync(there('.venv', 'pyvenv.cfg'), Buffer.alloc(3_000_000));
    writeFileSync(there('train.py'), 'epochs = 3\n');
    writeFileSync(there('model.bin'), Buffer.alloc(20_000_000, 'model'));
    execFileSync('git', ['init', '-q', there()]);
    address = await opened(/trainer is ready/, 'Connect', '01-connected');
    assert.match(decodeURIComponent(address), /ssh-remote\+gpu-ws-workspace.*\/work\/project/);
    await instances().contextMenu(instances().row('trainer'), 'Stop…');
    await workbench.dialogButton('Stop');
    await instances().row('trainer').filter({ hasText: 'Stopped' }).waitFor();
    // The disk of the stopped instance, which only its host can read.
    const disk = onMachine(`${id}.machine`, 'outside', there());
    mkdirSync(path.dirname(disk), { recursive: true });
    cpSync(there(), disk, { recursive: true, preserveTimestamps: true });
    rmSync(there(), { recursive: true });
    await occupyGpus(session(), id);
    await workbench.clearNotifications();
  });

  it('waits for its GPU, which another user has, and names what can be done', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Start…');
    await workbench.dialogButton('Start');
    await workbench.toast(waiting);
    await instances().row('trainer').filter({ hasText: 'Another user has the GPU' }).waitFor();
    await workbench.shot('02-waiting');
  });

  it('shows what the move means', async () => {
    await workbench.toastButton(waiting, 'Move…');
    await workbench.quick.title('Move').waitFor();
    await workbench.shot('03-folder');
    await workbench.quick.type(there());
    await workbench.dialog.waitFor({ timeout: 60_000 });
    await workbench.shot('04-question');
    await workbench.dialogButton('Choose Offer…');
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.shot('05-offers');
    await workbench.quick.pickMatching(/RTX (?!3090).*% reliable/);
    await workbench.quick.waitForTitle(/Confirm/);
    await workbench.shot('06-confirm');
  });

  it('is on the next instance, and the old one stays stopped with its price', async () => {
    await confirmRental(workbench);
    await instances()
      .row(/^project of trainer/)
      .waitFor();
    await workbench.shot('07-moving');
    await workbench.toast(moved, 120_000);
    await instances()
      .row(/^project of trainer.*\$\S+\/day: old instance stays stopped/)
      .waitFor();
    await workbench.shot('08-moved');
    assert.equal(readFileSync(there('train.py'), 'utf8'), 'epochs = 3\n');
    assert.equal(session().simulator.received('DELETE', /^\/api\/v0\/instances\//).length, 0);
  });

  it('is opened under the same host name and folder', async () => {
    assert.equal(await opened(moved, 'Open', '09-opened'), address);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
