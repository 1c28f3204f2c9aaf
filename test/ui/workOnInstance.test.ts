import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import type { Workbench } from '../support/workbench';

describe('working on an instance from the open folder', function () {
  this.bail(true);
  this.timeout(180_000);
  const session = useUiSession('work-on-instance', { simulator: { speed: 20 } });
  let workbench: Workbench;
  const folder = () => path.join(session().root, 'workspace');
  const instances = () => workbench.view('Instances');
  const row = () => instances().row('trainer');

  before(async () => {
    const { simulator, root } = session();
    const file = path.join(root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', file]);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${file}.pub`, 'utf8').trim() });
    await rentRunning(simulator, { label: 'trainer', runtype: 'ssh_direct' });
    writeFileSync(path.join(folder(), 'train it.sh'), 'echo "saved-$((40 + 1)) $(basename "$0")"\n');
    workbench = await session().window();
    await signIn(session(), workbench);
    await row().waitFor();
    await workbench.clearNotifications();
  });

  it('runs what is in the editor, saved or not, and leaves its end to be read', async () => {
    const editor = new DocumentEditor(workbench);
    await workbench.quick.openFile('train it.sh');
    await editor.waitFor('train it.sh', 'saved-');
    await editor.focus();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type('echo "unsaved-$((1 + 1))"; exit 3');
    await editor.line('exit 3').waitFor();
    await workbench.run('Run File…');
    await workbench.quick.pick('In a Terminal');
    const shown = await workbench.terminalShows(/ended with code 3/, 60_000);
    assert.match(shown, /saved-41 train it\.sh/);
    assert.match(shown, /unsaved-2/);
    await workbench.shot('01-run');
    await workbench.intoTerminal('');
    await workbench.page.locator('.terminal-wrapper').waitFor({ state: 'hidden' });
    await workbench.quick.run('File: Revert File');
    await editor.saved();
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    assert.deepEqual(workbench.errors, []);
  });
});
