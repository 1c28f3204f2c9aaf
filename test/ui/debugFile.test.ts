import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { isAlive } from '../support/processes';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('a file that is debugged on an instance', function () {
  this.bail(true);
  this.timeout(150_000);
  const session = useUiSession('debug-file', { extensions: ['ui/pythonDebugger'] });
  let workbench: Workbench;
  let there = '';
  const here = (name: string) => path.join(session().root, 'workspace', name);
  const editor = () => new DocumentEditor(workbench);
  const stopped = () => workbench.page.locator('.debug-top-stack-frame-line').first();

  before(async () => {
    writeFileSync(here('part.py'), 'def half(number):\n    return number / 2\n');
    const lines = ['import os, part', 'open("pid", "w").write(str(os.getpid()))', 'loss = part.half(3)', ''];
    writeFileSync(here('train.py'), lines.join('\n'));
    mkdirSync(here('.vscode'));
    const configuration = {
      type: 'gpuRental',
      request: 'launch',
      name: 'On an instance',
      program: '${file}',
    };
    writeFileSync(here('.vscode/launch.json'), JSON.stringify({ configurations: [configuration] }));
    const id = await reachableInstance(session(), 'trainer');
    const machine = path.join(session().root, 'instances', String(id));
    there = path.join(machine, 'workspace');
    // The Python of the system has debugpy.
    symlinkSync('/usr/bin/python3', path.join(`${machine}.machine`, 'bin', 'python3'));
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await workbench.view('Instances').row('trainer').waitFor();
  });

  it('stops at a breakpoint of another file of its folder, started by F5', async () => {
    const { page, quick } = workbench;
    await quick.openFile('part.py');
    await editor().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('F9');
    await page.locator('.codicon-debug-breakpoint').first().waitFor();
    await quick.openFile('train.py');
    await editor().focus();
    await page.keyboard.press('F5');
    await workbench.dialogButton('Mirror');
    await stopped().waitFor({ timeout: 60_000 });
    await page.locator('.tab.active', { hasText: 'part.py' }).waitFor();
    await page.locator('.debug-call-stack', { hasText: 'half' }).waitFor();
    await workbench.shot('01-stopped');
  });

  it('ends there with its session', async () => {
    const { page } = workbench;
    const pid = Number(readFileSync(path.join(there, 'pid'), 'utf8'));
    assert.ok(isAlive(pid));
    await page.keyboard.press('Shift+F5');
    await stopped().waitFor({ state: 'detached' });
    await until('the end of the program', () => !isAlive(pid));
    assert.ok(existsSync(path.join(there, 'part.py')));
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});
