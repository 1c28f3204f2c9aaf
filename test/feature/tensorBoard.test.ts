import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs } from '../support/feature/jobDriver';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';
import { isAlive } from '../support/processes';
import { tensorBoardStandIn } from '../support/tensorBoardStandIn';
import { until } from '../support/until';

describe('TensorBoard of an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let bin = '';
  let home = '';

  before(async () => {
    const id = await reachableInstance(computer(), 'trainer');
    bin = path.join(computer().root, 'instances', `${id}.machine`, 'bin');
    window = await openWithJobs(computer(), {
      train: { run: 'mkdir -p runs; echo 1 >runs/log', outputs: ['runs/**'] },
    });
    const instances = window.view('instances');
    await instances.expand('trainer');
    await instances.expand('Files');
    await instances.noRow('Loading…');
    await instances.inline('Files', 'Go to Path…');
    await window.quick.title('Go to Path');
    home = window.quick.open.value;
    window.quick.escape();
    mkdirSync(path.join(home, 'logs'));
    await instances.inline('Files', 'Refresh Files');
    await instances.row('logs');
  });

  const links = () => window.screen.externalLinks;
  const nextLink = async (count: number) => computer().until('the browser', () => links()[count - 1]);
  const pids = () => readFileSync(path.join(home, 'tensorboard.pids'), 'utf8').trim().split(/\s/).map(Number);

  it('is installed there if the user agrees', async () => {
    writeFileSync(path.join(bin, 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await window.view('instances').menu('logs', 'Open TensorBoard');
    await window.dialog('Install tensorboard on trainer?');
    await window.dialogButton('Install');
    await window.toast('Could not install tensorboard: –');
    rmSync(path.join(bin, 'python3'));
    window.clearToasts();
  });

  it('opens for a folder over SSH, once, and has the row of a forwarded port', async () => {
    tensorBoardStandIn(bin);
    await window.view('instances').menu('logs', 'Open TensorBoard');
    const link = await nextLink(1);
    assert.match(link, /^http:\/\/localhost:\d+\/$/);
    assert.equal(await (await fetch(link)).text(), path.join(home, 'logs'));
    await window.view('instances').menu('logs', 'Open TensorBoard');
    assert.equal(await nextLink(2), link);
    assert.equal(pids().length, 2);
    await window.view('instances').row(new RegExp(`^Port \\d+ ${new URL(link).host}, this computer only`));
  });

  it('ends with its port', async () => {
    await window.view('instances').inline(/^Port \d+ localhost/, 'Stop Forwarding');
    await until('its end', () => !pids().some(isAlive));
    await window.view('instances').noRow(/^Port \d+ localhost/);
  });

  it('opens for the outputs of a job on its machine, and ends with the window', async () => {
    window.start('gpuRental.job.run');
    await window.quick.title('Run train: Confirm');
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await computer().pass(1000);
    await window.toast(/^train: succeeded/);
    window.clearToasts();
    await window.view('jobs').menu(/^train/, 'Open TensorBoard');
    const shown = await (await fetch(await nextLink(3))).text();
    assert.match(shown, /\/\.gpu-rental\/jobs\/[0-9a-f]+\/src\/runs$/);
    window.close();
    await until('its end', () => !pids().some(isAlive));
  });
});
