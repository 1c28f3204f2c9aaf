import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { press } from '../support/press';
import { reachableInstance } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** Passes on what it reads at some ten megabytes a second. */
const slowProgram = `
const child = require('node:child_process').spawn('ssh', process.argv.slice(2), {
  stdio: ['pipe', 'inherit', 'inherit'],
});
process.on('SIGTERM', () => child.kill());
child.on('close', (code) => process.exit(code ?? 255));
child.stdin.on('error', () => undefined);
(async () => {
  for await (const piece of process.stdin) {
    child.stdin.write(piece);
    await new Promise((resolve) => setTimeout(resolve, piece.length / 10_000));
  }
  child.stdin.end();
})();
`;

/** The path of an `ssh` that is slow while a file is there. */
function slowSsh(root: string, flag: string): string {
  const bin = path.join(root, 'bin');
  mkdirSync(bin);
  const program = path.join(bin, 'slow.cjs');
  writeFileSync(program, slowProgram);
  const slow = `exec '${process.execPath}' '${program}' "$@"`;
  writeFileSync(path.join(bin, 'ssh'), `#!/bin/sh\nif [ -e '${flag}' ]; then ${slow}; fi\nexec ssh "$@"\n`, {
    mode: 0o755,
  });
  return path.join(bin, 'ssh');
}

describe('files to an instance and back', function () {
  this.bail(true);
  this.timeout(180_000);
  const session = useUiSession('transfers');
  const toasts = () => workbench.toasts.filter({ hasText: 'Uploading to trainer' });
  let workbench: Workbench;

  const local = (...parts: string[]) => path.join(session().root, 'workspace', ...parts);
  /** The machine is a folder of this computer; its home is the one that the simulator gave it. */
  const remote = (...parts: string[]) => path.join(machineHome, ...parts);
  let machineHome = '';
  /** While this file is there, ssh is slow. */
  const slow = () => path.join(session().root, 'slow');

  /** The editor's own file dialog is known by the button beside its box. */
  const dialog = (button: string) =>
    workbench.quick.widget.locator('.quick-input-action .monaco-button', { hasText: button });
  const question = (text: string) =>
    workbench.quick.widget.locator('.quick-input-message', { hasText: text });

  /** Types a path into the editor's own file dialog and confirms it. */
  async function choose(file: string, button: string): Promise<void> {
    const { quick } = workbench;
    await dialog(button).waitFor();
    // The dialog writes where it begins with its first rows, also over what was typed before.
    await quick.rows.filter({ hasText: /^\.\.$/ }).waitFor();
    await quick.input.fill(file);
    // A folder is entered before it is taken, and the dialog writes its path again then.
    await until('the dialog to take it', async () => {
      await press(dialog(button), { timeoutMs: 2000 }).catch(() => undefined);
      return dialog(button)
        .waitFor({ state: 'hidden', timeout: 2000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  async function menu(item: string): Promise<void> {
    const instances = workbench.view('Instances');
    await instances.contextMenu(instances.row('trainer'), item);
  }

  it('uploads a folder with the dialog of the editor into a folder of the machine', async () => {
    await reachableInstance(session(), 'trainer');
    mkdirSync(local('my data', 'deep'), { recursive: true });
    writeFileSync(local('my data', "it's a.txt"), 'first');
    writeFileSync(local('my data', 'deep', 'b.txt'), 'second');
    session().changeSettings({ 'remote.SSH.path': slowSsh(session().root, slow()) });
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.view('Instances').row('trainer').waitFor();
    await workbench.clearNotifications();
    await menu('Upload');
    await workbench.dialogButton('Use This Program');
    await workbench.quick.waitForTitle('Upload: trainer');
    await workbench.quick.pick('Folders…');
    await dialog('Upload').waitFor();
    await workbench.shot('01-choose');
    await choose(local('my data'), 'Upload');
    await question('Target folder').waitFor();
    machineHome = await workbench.quick.input.inputValue();
    await workbench.shot('02-where');
    await workbench.quick.enter();
    await workbench.toast('Uploading to trainer: done');
    await workbench.shot('03-done');
    assert.equal(readFileSync(remote('my data', "it's a.txt"), 'utf8'), 'first');
    assert.equal(readFileSync(remote('my data', 'deep', 'b.txt'), 'utf8'), 'second');
  });

  it('shows the bytes of a large file, stops on request, and continues where it ended', async () => {
    // So large that it goes by itself.
    const size = 70_000_000;
    writeFileSync(local('big.bin'), Buffer.alloc(size, 7));
    writeFileSync(slow(), '');
    await workbench.clearNotifications();
    await menu('Upload');
    await workbench.quick.pick('Files…');
    await choose(local('big.bin'), 'Upload');
    await question('Target folder').waitFor();
    await workbench.quick.enter();
    await toasts()
      .filter({ hasText: /file 1 of 1, [1-9][\d.]* (?:kB|MB) of 70 MB/ })
      .waitFor();
    await workbench.shot('04-bytes');
    await toasts().hover();
    await press(toasts().locator('.monaco-button', { hasText: 'Cancel' }));
    await workbench.toast('The transfer was stopped.');
    await workbench.shot('05-stopped');
    const part = readdirSync(remote()).find((name) => /^big\.bin\..*\.part$/.test(name)) ?? '';
    const bytes = statSync(remote(part)).size;
    assert.ok(bytes > 0 && bytes < size, String(bytes));
    // What arrived is not sent again: it is marked, and the mark survives.
    const file = openSync(remote(part), 'r+');
    writeSync(file, 'MARK', 0);
    closeSync(file);
    rmSync(slow());
    await workbench.toastButton('The transfer was stopped.', 'Resume');
    await workbench.toast('Uploading to trainer: done', 60_000);
    const whole = readFileSync(remote('big.bin'));
    assert.equal(whole.length, size);
    assert.equal(whole.subarray(0, 4).toString(), 'MARK');
    assert.ok(whole.subarray(4).every((byte) => byte === 7));
  });
});
