import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { DocumentEditor } from '../support/documentEditor';
import { signIn } from '../support/journey';
import { rentRunning } from '../support/rentRunning';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

describe('working on an instance from the open folder', function () {
  this.bail(true);
  this.timeout(180_000);
  const session = useUiSession('work-on-instance', {
    simulator: { speed: 20 },
    extensions: ['ui/remoteSsh'],
  });
  let workbench: Workbench;
  let instanceId: number;
  const folder = () => path.join(session().root, 'workspace');
  const instances = () => workbench.view('Instances');
  const row = () => instances().row('trainer');
  const git = (...args: string[]) => execFileSync('git', ['-C', folder(), ...args], { encoding: 'utf8' });
  const starts = () =>
    session()
      .simulator.received('PUT', new RegExp(`^/api/v0/instances/${String(instanceId)}/$`))
      .filter(({ body }) => (body as { state?: string }).state === 'running');

  before(async () => {
    const { simulator, root } = session();
    const file = path.join(root, 'home', '.ssh', 'id_ed25519');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'mine', '-f', file]);
    await simulator.call('POST', '/api/v0/ssh/', { ssh_key: readFileSync(`${file}.pub`, 'utf8').trim() });
    instanceId = await rentRunning(simulator, { label: 'trainer', runtype: 'ssh_direct' });
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
    await workbench.run('Run Active File on an Instance');
    const shown = await workbench.terminalShows(/ended with code 3/, 60_000);
    assert.match(shown, /saved-41 train it\.sh/);
    assert.match(shown, /unsaved-2/);
    await workbench.shot('01-run');
    await workbench.page.locator('.terminal-wrapper .xterm').last().click();
    await workbench.page.keyboard.press('Enter');
    await workbench.page.locator('.terminal-wrapper').waitFor({ state: 'hidden' });
    await workbench.quick.run('File: Revert File');
    await editor.saved();
  });

  it('clones the repository of the folder on the instance, without the token, and opens it there', async () => {
    const { sshConfig, root } = session();
    git('init', '-q', '-b', 'main');
    git(
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'first',
    );
    git('remote', 'add', 'origin', 'https://me:token-7f3a@git.example/team/model.git');
    const bare = path.join(root, 'model.git');
    git('clone', '-q', '--bare', folder(), bare);
    const alias = await until('the SSH entry', () => /Host (gpu-\S+)/.exec(ownConfig())?.[1]);
    // The machine reaches that host by a folder of this computer.
    const settings = [
      'config',
      '--global',
      `url.file://${bare}.insteadOf`,
      'https://git.example/team/model.git',
    ];
    await promisify(execFile)('ssh', ['-F', sshConfig, alias, ['git', ...settings].join(' ')]);
    const page = await session().opensWindow(() => instances().contextMenu(row(), /Clone the Workspace/));
    const opened = new URL(page.url()).searchParams.get('folder') ?? '';
    assert.match(opened, /\/model$/);
    await page.close();
    const there = opened.replace(/^vscode-remote:\/\/[^/]+/, '');
    const { stdout } = await promisify(execFile)('ssh', [
      '-F',
      sshConfig,
      alias,
      `git -C '${there}' log --format=%s && cat '${there}/.git/config'`,
    ]);
    assert.match(stdout, /^first/);
    assert.doesNotMatch(stdout, /token-7f3a/);
    assert.doesNotMatch(session().log(), /token-7f3a/);
  });

  it('opens the clone that is there instead of cloning again', async () => {
    await instances().contextMenu(row(), /Clone the Workspace/);
    await workbench.toast(/has the folder .*model already/);
    await workbench.shot('02-there-already');
    const page = await session().opensWindow(() => workbench.toastButton(/has the folder/, 'Open It'));
    await page.close();
    await workbench.clearNotifications();
  });

  it('asks with the price before it starts a stopped one to connect to it', async () => {
    await session().simulator.call('PUT', `/api/v0/instances/${String(instanceId)}/`, { state: 'stopped' });
    await workbench.run('Refresh');
    await row().filter({ hasText: 'Stopped' }).waitFor({ timeout: 60_000 });
    await instances().contextMenu(row(), /^Connect$/);
    await workbench.dialog.filter({ hasText: 'trainer is stopped. Start it and connect?' }).waitFor();
    assert.match(await workbench.dialog.innerText(), /it costs \$\S+\/h/);
    await workbench.shot('03-start-question');
    await workbench.dialogButton('Cancel');
    assert.deepEqual(starts(), []);
  });

  it('waits until it runs and connects by itself', async () => {
    await instances().contextMenu(row(), /^Connect$/);
    // That it runs is seen in the list alone, which comes late enough for the waiting to be seen.
    const { faults } = session().simulator;
    const list = { method: 'GET', path: '/api/{version}/instances/' };
    const late = faults.add({ kind: 'delay', ...list, delayMs: 4000, times: 0 });
    const page = await session().opensWindow(async () => {
      await workbench.dialogButton('Start and Connect');
      await workbench.toast(/Waiting until trainer runs/);
      await workbench.shot('04-waiting');
      faults.clear(late.id);
    });
    assert.match(new URL(page.url()).searchParams.get('folder') ?? '', /\/model$/);
    await page.close();
    assert.equal(starts().length, 1);
    assert.equal(await workbench.toasts.filter({ hasText: 'trainer is ready' }).count(), 0);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
    assert.deepEqual(workbench.errors, []);
  });

  function ownConfig(): string {
    const own = path.join(session().root, 'home', '.ssh', 'gpu-rental.d');
    return execFileSync('sh', ['-c', 'cat "$1"/*.conf', 'sh', own], { encoding: 'utf8' });
  }
});
