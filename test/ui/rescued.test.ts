import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { occupyGpus } from '../support/feature/rentDriver';
import { confirmRental } from '../support/journey';
import type { Workbench } from '../support/workbench';
import { useWorkspaceJourney } from '../support/workspaceJourney';

describe('a workspace that is moved off an instance whose GPU is gone', function () {
  this.bail(true);
  this.timeout(150_000);
  const journey = useWorkspaceJourney('rescued');
  const { session, there, onMachine, instances } = journey;
  let workbench: Workbench;
  let id: number;
  let address: string;
  const waiting = /trainer is waiting for its GPU, which another user has/;
  const moved = /project of trainer is on trainer, as the host sent it/;

  before(() => ({ workbench } = journey));

  it('is worked on, and stopped', async () => {
    id = await journey.rentTrainer();
    address = await journey.connect('01-connected');
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
    assert.equal(await journey.opened(moved, 'Open', '09-opened'), address);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
