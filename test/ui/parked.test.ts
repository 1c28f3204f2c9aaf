import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { confirmRental } from '../support/journey';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';
import { useWorkspaceJourney } from '../support/workspaceJourney';

describe('a workspace that is parked and resumed', function () {
  this.bail(true);
  this.timeout(150_000);
  const journey = useWorkspaceJourney('parked');
  const { session, there, onMachine, instances } = journey;
  let workbench: Workbench;
  let id: number;
  let address: string;

  before(() => ({ workbench } = journey));

  /** Opens a terminal that keeps running, and sees it under its name once its tab is closed. */
  async function keepTerminal(): Promise<void> {
    await instances().inlineAction(instances().row('trainer'), 'Open Terminal', workbench.terminal);
    await workbench.terminalShows(/real shell on YOUR computer/);
    await workbench.quick.run('Terminal: Kill the Active Terminal Instance');
    await instances().expand(instances().row('trainer'));
    await instances()
      .row(/Terminal workspace-1/)
      .waitFor({ timeout: 60_000 });
  }

  it('is rented by its file, and opened by its own name', async () => {
    id = await journey.rentTrainer({ offers: '01-offers', confirm: '02-confirm' });
    writeFileSync(onMachine(String(id), 'workspace', 'notes.txt'), 'x'.repeat(20_000));
    address = await journey.connect('03-connected');
    await keepTerminal();
    await workbench.clearNotifications();
  });

  it('shows what parking means, and changes nothing unasked', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Park…');
    // The first login takes long where the computer is busy.
    await workbench.quick.title('Park').waitFor({ timeout: 60_000 });
    await workbench.shot('04-folder');
    await workbench.quick.type(there());
    await workbench.dialog.waitFor({ timeout: 60_000 });
    await workbench.shot('05-question');
    await workbench.dialogButton('Keep Instance');
    assert.equal(session().simulator.world.instances.length, 1);
  });

  it('is offered before a destroy', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Destroy…');
    await workbench.dialog.waitFor();
    await workbench.shot('06-destroy');
    await workbench.dialogButton('Park…');
    await workbench.quick.waitForTitle('Park');
    await workbench.quick.type(there());
    await workbench.dialog.filter({ hasText: 'Not saved' }).waitFor();
  });

  it('is parked', async () => {
    // The instance begins to send once this pipe is written to, which would wait for ever without a reader.
    const [pipe, asked] = [onMachine('go'), onMachine('asked')];
    const tar = onMachine(`${id}.machine`, 'bin', 'tar');
    execFileSync('mkfifo', [pipe]);
    const waits = `[ "$1" = --version ] || { : >'${asked}'; read _ <'${pipe}'; }`;
    writeFileSync(tar, `#!/bin/sh\n${waits}\nexec /usr/bin/tar "$@"\n`, { mode: 0o700 });
    await workbench.dialogButton('Park and Destroy');
    await instances()
      .row(/^project of trainer.*saving .*20 MB/)
      .waitFor();
    await workbench.shot('07-parking');
    await until('the files to be asked for', () => existsSync(asked));
    rmSync(tar);
    writeFileSync(pipe, '\n');
    await instances()
      .row(/^project of trainer.*costs nothing/)
      .waitFor();
    await workbench.toast(/project of trainer is parked here/, 60_000);
    await workbench.shot('08-parked');
    assert.equal(session().simulator.world.instances.length, 0);
    await workbench.clearNotifications();
    rmSync(there(), { recursive: true });
  });

  it('is resumed on another GPU, with the same files', async () => {
    await instances().inlineAction(
      instances().row(/^project of trainer/),
      'Resume…',
      workbench.quick.title(/Resume/),
    );
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.shot('09-offers');
    await workbench.quick.pickMatching(/RTX (?!3090).*% reliable/);
    await workbench.quick.waitForTitle(/Confirm/);
    await workbench.shot('10-confirm');
    await confirmRental(workbench);
    await workbench.toast(/project of trainer is on trainer/, 120_000);
    await workbench.shot('11-resumed');
    assert.equal(await workbench.toasts.filter({ hasText: 'trainer is ready' }).count(), 0);
    assert.equal(readFileSync(there('train.py'), 'utf8'), 'epochs = 3\n');
    assert.equal(existsSync(there('.venv')), false);
  });

  it('is opened under the same host name and folder, and its terminals have their names again', async () => {
    assert.equal(await journey.opened(/project of trainer is on trainer/, 'Open', '12-opened'), address);
    await keepTerminal();
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
