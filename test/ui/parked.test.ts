import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { confirmRental, signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('a workspace that is parked and resumed', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('parked');
  let workbench: Workbench;
  const there = (...parts: string[]) => path.join(session().root, 'work', 'project', ...parts);
  const instances = () => workbench.view('Instances');

  before(async () => {
    const id = await reachableInstance(session(), 'trainer');
    mkdirSync(there('.venv'), { recursive: true });
    writeFileSync(there('.venv', 'pyvenv.cfg'), Buffer.alloc(3_000_000));
    writeFileSync(there('train.py'), 'epochs = 3\n');
    writeFileSync(there('model.bin'), Buffer.alloc(20_000_000, 'model'));
    execFileSync('git', ['init', '-q', there()]);
    writeFileSync(
      path.join(session().root, 'instances', String(id), 'workspace', 'notes.txt'),
      'x'.repeat(20_000),
    );
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await instances().row('trainer').waitFor();
  });

  it('shows what that means, and changes nothing unasked', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Park…');
    // The first login takes long where the computer is busy.
    await workbench.quick.title('Park').waitFor({ timeout: 60_000 });
    await workbench.shot('01-folder');
    await workbench.quick.type(there());
    await workbench.dialog.waitFor({ timeout: 60_000 });
    await workbench.shot('02-question');
    await workbench.dialogButton('Keep Instance');
    assert.equal(session().simulator.world.instances.length, 1);
  });

  it('is offered before a destroy', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Destroy…');
    await workbench.dialog.waitFor();
    await workbench.shot('03-destroy');
    await workbench.dialogButton('Park…');
    await workbench.quick.waitForTitle('Park');
    await workbench.quick.type(there());
    await workbench.dialog.filter({ hasText: 'Not saved' }).waitFor();
  });

  it('is parked', async () => {
    await workbench.dialogButton('Park and Destroy');
    await instances()
      .row(/^project of trainer.*costs nothing/)
      .waitFor();
    await workbench.toast(/project of trainer is parked here/, 60_000);
    await workbench.shot('04-parked');
    assert.equal(session().simulator.world.instances.length, 0);
    await workbench.clearNotifications();
    rmSync(there(), { recursive: true });
  });

  it('is resumed on the next instance', async () => {
    await instances().inlineAction(
      instances().row(/^project of trainer/),
      'Resume…',
      workbench.quick.title(/Resume/),
    );
    await workbench.quick.rows.filter({ hasText: '% reliable' }).first().waitFor({ timeout: 90_000 });
    await workbench.shot('05-offers');
    await workbench.quick.pickMatching('% reliable');
    await workbench.quick.waitForTitle(/Confirm/);
    await workbench.shot('06-confirm');
    await confirmRental(workbench);
    await workbench.toast(/project of trainer is on trainer/, 120_000);
    await workbench.shot('07-resumed');
    assert.equal(readFileSync(there('train.py'), 'utf8'), 'epochs = 3\n');
    assert.equal(existsSync(there('.venv')), false);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
