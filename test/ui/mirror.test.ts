import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a folder that is mirrored to an instance', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('mirror');
  let workbench: Workbench;
  let there = '';
  const here = (...parts: string[]) => path.join(session().root, 'workspace', ...parts);
  const instances = () => workbench.view('Instances');
  const editor = () => new DocumentEditor(workbench);
  const mirror = () => instances().row(/^Mirror of workspace/);
  const has = (file: string, content: string) =>
    until(`the content of ${file}`, () => existsSync(file) && readFileSync(file, 'utf8') === content);

  before(async () => {
    mkdirSync(here('data'));
    writeFileSync(here('train.py'), 'epochs = 3\n');
    writeFileSync(here('data', 'table.csv'), 'a,b\n');
    writeFileSync(here('.env'), 'SECRET=1\n');
    const id = await reachableInstance(session(), 'trainer');
    there = path.join(session().root, 'instances', String(id), 'workspace');
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await instances().row('trainer').waitFor();
  });

  it('is sent after a question', async () => {
    await instances().contextMenu(instances().row('trainer'), 'Mirror Folder to Instance…');
    await workbench.dialog.waitFor();
    await workbench.shot('01-question');
    await workbench.dialogButton('Mirror');
    await has(path.join(there, 'train.py'), 'epochs = 3\n');
    assert.equal(existsSync(path.join(there, '.env')), false);
    await instances().expand(instances().row('trainer'));
    await instances()
      .row(/^Mirror of workspace.*in step at/)
      .waitFor();
  });

  it('is sent as it is saved', async () => {
    await workbench.quick.openFile('train.py');
    await editor().replaceAll('epochs = 4\n');
    await editor().save();
    await editor().saved();
    await has(path.join(there, 'train.py'), 'epochs = 4\n');
    writeFileSync(here('written.py'), 'by another program\n');
    await has(path.join(there, 'written.py'), 'by another program\n');
    await workbench.shot('02-in-step');
  });

  it('lists what changes there, and compares it', async () => {
    writeFileSync(path.join(there, 'result.csv'), 'loss\n0.1\n');
    writeFileSync(path.join(there, 'train.py'), 'epochs = 40\n');
    const changed = instances().row(/^Mirror of workspace.*2 changed there/);
    await instances().inlineAction(mirror(), 'Compare Now', changed);
    await instances().expand(mirror());
    await instances()
      .row(/^result\.csv/)
      .waitFor();
    await workbench.shot('03-changed');
    await instances().pick(/^train\.py/);
    await workbench.page.locator('.monaco-diff-editor').first().waitFor();
    await workbench.shot('04-difference');
  });

  it('is fetched', async () => {
    await instances().contextMenu(instances().row(/^Changed on the Instance/), 'Fetch All');
    await has(here('result.csv'), 'loss\n0.1\n');
    await has(here('train.py'), 'epochs = 40\n');
    await instances()
      .row(/^Changed on the Instance/)
      .waitFor({ state: 'detached' });
  });

  it('keeps what was changed on both sides', async () => {
    writeFileSync(path.join(there, 'train.py'), 'epochs = 5 # there\n');
    writeFileSync(here('train.py'), 'epochs = 6\n');
    await workbench.toast(/Changed here and on trainer, so not sent: train\.py/);
    await instances().expand(instances().row(/^Stays on This Computer/));
    await instances().pick(/^train\.py/);
    await workbench.page.locator('.monaco-diff-editor', { hasText: '# there' }).first().waitFor();
    await workbench.shot('05-both');
    assert.equal(readFileSync(path.join(there, 'train.py'), 'utf8'), 'epochs = 5 # there\n');
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
