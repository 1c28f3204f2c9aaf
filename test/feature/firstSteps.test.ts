import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { searchFor } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('the first steps', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;
  const sample = () => path.join(computer().root, 'home', 'gpu-rental-demo', 'sample');
  const done = () =>
    ['signIn', 'search', 'rent', 'connect', 'job', 'stop'].filter(
      (step) => window.screen.commands.keys[`gpuRental.done.${step}`] === true,
    );

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ folders: [] });
    await window.signIn();
    await window.view('instances').row('trainer');
  });

  it('are ticked when they are done, not when they are begun', async () => {
    await window.view('instances').menu('trainer', 'Stop…');
    await window.dialogButton('Cancel');
    assert.deepEqual(done(), ['signIn']);
    await searchFor(window, '4090', /RTX 4090/);
    window.quick.escape();
    await computer().until('the search', () => done().includes('search'));
    await window.view('instances').inline('trainer', 'Open Terminal');
    await computer().until('the connection', () => done().includes('connect'));
    assert.deepEqual(done(), ['signIn', 'search', 'connect']);
  });

  it('open a sample, run its job and bring the chart of its loss here', async () => {
    window.run('Open Sample Workspace');
    const { address } = await window.opens();
    assert.equal(address, `file://${sample()}`);
    const file = path.join(sample(), '.vscode', 'gpu-rental.json');
    const content = readFileSync(file, 'utf8');
    // Without its pauses it takes no time.
    const quick = content.replace('"run":', '"env": { "PAUSE": "0" },\n      "run":');
    assert.notEqual(quick, content);
    writeFileSync(file, quick);
    window.close();
    window = await computer().openWindow({ isFocused: true, folders: [sample()] });
    await window.view('instances').row('trainer');
    window.run('Run Job…');
    await window.quick.pick('train');
    await window.quick.title('Run train: Confirm');
    await computer().pass(1000);
    await window.quick.pick('Run on trainer, and Keep It');
    await window.toast(/^train: succeeded/);
    const runs = path.join(sample(), 'gpu-outputs', 'train');
    const [run = ''] = readdirSync(runs);
    const outputs = path.join(runs, run, 'outputs');
    assert.match(readFileSync(path.join(outputs, 'loss.svg'), 'utf8'), /^<svg [^]*<polyline [^]*<\/svg>\n$/);
    assert.equal(readFileSync(path.join(outputs, 'loss.csv'), 'utf8').trim().split('\n').length, 41);
    assert.ok(done().includes('job'));
  });

  it('keep what was changed in the sample', async () => {
    const file = path.join(sample(), 'train.sh');
    writeFileSync(file, 'mine');
    window.run('Open Sample Workspace');
    await window.opens();
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    assert.ok(existsSync(path.join(sample(), 'README.md')));
  });

  it('are done by a message and in another window as well', async () => {
    const other = await computer().openWindow();
    await other.view('instances').row('trainer');
    await other.view('instances').menu('trainer', 'Stop…');
    await other.dialogButton('Stop');
    await computer().until('the stop', () => done().includes('stop'));
    assert.equal(computer().simulator.world.instance(id)?.intendedStatus, 'stopped');
  });
});
