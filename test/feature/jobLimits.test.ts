import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const minute = 60_000;

describe('a job that nears its limit', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const instances = () => window.view('instances');

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    mkdirSync(path.dirname(file), { recursive: true });
    const limits = { hours: 1, costDollars: 5 };
    const run = 'until [ -e ../limit ]; do sleep 0.2; done; echo "told $(cat ../limit)"; sleep 1000';
    const train = { run, machine: 'running', outputs: [], limits };
    writeFileSync(file, JSON.stringify({ jobs: { train } }));
    window = await computer().openWindow();
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('is told 10 minutes before', async () => {
    await instances().menu('trainer', 'Stop or Destroy Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    window.run('Run Job…');
    await window.quick.title('Run train: Confirm');
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await window.view('jobs').row(/train.*running/);
    window.clearToasts();
    computer().clock.jump(47 * minute);
    await computer().pass(minute);
    assert.ok(!window.everythingSaid().includes('ends at its limit'));
    computer().clock.jump(2 * minute);
    await computer().pass(minute);
    const { buttons } = await window.toast(/^train ends at its limit at /);
    assert.deepEqual(buttons, ['Extend…', 'Show Log']);
  });

  it('ends later, for a price that is named first, and so does the machine', async () => {
    await window.toastButton(/^train ends at its limit/, 'Extend…');
    await window.quick.title('Extend train');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /2 h More.*costs \$\d+\.\d\d at most/);
    assert.match(rows, /scheduled for .* is put off until/);
    await computer().pass(1000);
    await window.quick.pick(/2 h More/);
    await window.toast(/^train ends at .* at the latest now, and costs \$5\.00 at most/);
    await window.document('told 10800');
    await window.toast(/trainer will be stopped/);
  });
});
