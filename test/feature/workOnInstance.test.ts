import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { runProgram } from '../../src/ssh/run';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const token = 'token-7f3a';
const remote = `https://me:${token}@git.example/team/model.git`;
const address = 'https://git.example/team/model.git';

describe('working on an instance from the open folder', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  let alias: string;
  const instances = () => window.view('instances');
  const git = (...args: string[]) => execFileSync('git', ['-C', computer().workspace, ...args]);
  const there = async (command: string) => {
    const { stdout } = await runProgram('ssh', ['-F', computer().sshConfig, alias, command]);
    return stdout;
  };
  const starts = () =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => (body as { state?: string }).state === 'running');

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [remoteSshExtension()] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('shows if the open folder is no repository', async () => {
    await instances().menu('trainer', "Clone the Workspace's Repository…");
    await window.toast('The open folder has no git remote that can be cloned over HTTPS or SSH.');
    window.clearToasts();
  });

  it('clones the repository of the folder on the instance, without the token, and opens it there', async () => {
    git('init', '-q', '-b', 'main');
    const author = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    git(...author, 'commit', '-q', '--allow-empty', '-m', 'first');
    git('remote', 'add', 'origin', remote);
    const bare = path.join(computer().root, 'model.git');
    git('clone', '-q', '--bare', computer().workspace, bare);
    await instances().menu('trainer', 'Copy SSH Command');
    alias = await computer().until('the alias', () => /gpu-\S+$/.exec(computer().clipboard.text)?.[0]);
    // The machine reaches that host by a folder of this computer.
    await there(`git config --global 'url.file://${bare}.insteadOf' ${address}`);
    await instances().menu('trainer', "Clone the Workspace's Repository…");
    const opened = (await window.opens()).address;
    assert.match(opened, /\/model$/);
    const folder = opened.replace(/^vscode-remote:\/\/[^/]+/, '');
    const found = await there(`git -C '${folder}' log --format=%s && cat '${folder}/.git/config'`);
    assert.match(found, /^first/);
    assert.ok(found.includes(address));
    assert.ok(!found.includes(token) && !window.allMessages().includes(token));
  });

  it('opens the clone that is there instead of cloning again', async () => {
    await instances().menu('trainer', "Clone the Workspace's Repository…");
    await window.toastButton(/already has the folder .*model/, 'Open');
    assert.match((await window.opens()).address, /\/model$/);
    window.clearToasts();
  });

  it('asks with the price before it starts a stopped one to connect to it', async () => {
    await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    window.run('Refresh');
    await instances().row(/trainer.*Stopped|Stopped.*trainer/);
    await instances().menu('trainer', 'Connect');
    const { text, detail } = await window.dialog('“trainer” is stopped. Start it and connect?');
    assert.match(`${text} ${detail ?? ''}`, /Cost once started: \$\S+\/h/);
    await window.dialogButton('Cancel');
    await computer().rest();
    assert.deepEqual(starts(), []);
  });

  it('waits until it runs and connects by itself', async () => {
    const { simulator } = computer();
    await instances().menu('trainer', 'Connect');
    // That it runs is seen in the list alone, which comes late enough for the waiting to be seen.
    const list = { method: 'GET', path: '/api/{version}/instances/' } as const;
    const late = simulator.faults.add({ kind: 'delay', ...list, delayMs: 4000, times: 0 });
    await window.dialogButton('Start and Connect');
    await window.toast(/Waiting for trainer to start/);
    simulator.faults.clear(late.id);
    assert.match((await window.opens()).address, /\/model$/);
    assert.equal(starts().length, 1);
    assert.ok(!window.toasts().some((text) => text.includes('trainer is ready')));
  });

  it('shows that it still starts and costs money if the wait is canceled', async () => {
    const { simulator } = computer();
    await simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    window.run('Refresh');
    await instances().row(/trainer.*Stopped|Stopped.*trainer/);
    simulator.orders.failBoot({ outcome: 'stuck', message: 'downloading' });
    await instances().menu('trainer', 'Connect');
    await window.dialogButton('Start and Connect');
    await window.toastButton(/Waiting for trainer to start/, 'Stop Waiting');
    await window.toastButton('trainer keeps starting and costs money.', 'Stop…');
    await window.dialogButton('Cancel', /^Stop “trainer”\?/);
    await computer().rest();
    assert.equal(starts().length, 2);
    assert.ok(!window.screen.commands.executed.some((one) => one.id === 'vscode.openFolder'));
    window.clearToasts();
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(window.log(), /^\[error\]/m);
  });
});
