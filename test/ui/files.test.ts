import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('the files of an instance', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('files');
  let workbench: Workbench;
  let home = '';
  const instances = () => workbench.view('Instances');
  const editor = () => new DocumentEditor(workbench);

  before(async () => {
    await reachableInstance(session(), 'trainer');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await instances().row('trainer').waitFor();
  });

  it('are a tree that is read when it is opened', async () => {
    await instances().expand(instances().row('trainer'));
    const files = instances().row(/^Files$/);
    await instances().expand(files);
    await instances().row('.bashrc').waitFor();
    await instances().inlineAction(files, 'Go to Path…', workbench.quick.widget);
    home = await workbench.quick.input.inputValue();
    mkdirSync(path.join(home, 'checkpoints'));
    mkdirSync(path.join(home, 'José'));
    writeFileSync(path.join(home, 'train.py'), 'epochs = 3\n');
    writeFileSync(path.join(home, 'weights.bin'), Buffer.alloc(3_400_000));
    writeFileSync(path.join(home, 'a name that is far too long for the side bar of most windows.txt'), '');
    await workbench.quick.enter();
    await instances().row('train.py').waitFor();
    await workbench.shot('01-tree');
    await instances().expand(instances().row('checkpoints'));
    await instances().row('empty').waitFor();
    rmSync(path.join(home, 'José'), { recursive: true });
    await instances().expand(instances().row('José'));
    await instances().row('This no longer exists').waitFor();
    await workbench.shot('02-empty-and-gone');
  });

  it('open and are saved there', async () => {
    await editor().openByRow(instances(), 'train.py', 'train.py', 'epochs = 3');
    await workbench.shot('03-document');
    await editor().replaceAll('epochs = 4\n');
    await editor().save();
    await editor().saved();
    assert.equal(readFileSync(path.join(home, 'train.py'), 'utf8'), 'epochs = 4\n');
  });

  it('are compared by the editor where they changed there', async () => {
    await editor().replaceAll('epochs = 5\n');
    writeFileSync(path.join(home, 'train.py'), 'epochs = 100 # on the machine\n');
    // SFTP has whole seconds, and within the same one the product itself asks.
    const later = Date.now() / 1000 + 10;
    utimesSync(path.join(home, 'train.py'), later, later);
    await editor().save();
    await workbench.toast(/content of the file is newer/);
    await workbench.shot('04-conflict');
    await workbench.toastButton(/content of the file is newer/, 'Overwrite');
    await editor().saved();
    assert.equal(readFileSync(path.join(home, 'train.py'), 'utf8'), 'epochs = 5\n');
  });
});
