import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openWithJobs, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minute = 60_000;

describe('a job that nears its limit', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const instances = () => window.view('instances');

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    const run = 'until [ -e ../limit ]; do sleep 0.2; done; echo "told $(cat ../limit)"; sleep 1000';
    const train = { run, outputs: [] };
    window = await openWithJobs(computer(), { train });
  });

  it('is announced 10 minutes before', async () => {
    await instances().menu('trainer', 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.type('2h', { enter: false });
    await window.quick.pick('In 2 h');
    await runJob(window, /Run on trainer/);
    await window.view('jobs').row(/train.*running/);
    window.clearToasts();
    computer().clock.jump(47 * minute);
    await computer().pass(minute);
    assert.ok(!window.allMessages().includes('reaches its limit'));
    computer().clock.jump(2 * minute);
    await computer().pass(minute);
    const { buttons } = await window.toast(/^train reaches its limit at /);
    assert.deepEqual(buttons, ['Extend Job…', 'Show Log']);
  });

  it('ends later, for a price that is named first, and so does the machine', async () => {
    await window.toastButton(/^train reaches its limit/, 'Extend Job…');
    await window.quick.title('Extend train');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /2 h More.*costs \$\d+\.\d\d at most/);
    assert.match(rows, /The scheduled end of the machine moves from .* to/);
    await computer().pass(1000);
    await window.quick.pick(/2 h More/);
    await window.toast(/^train now ends at .* at the latest and costs at most \$5\.00/);
    await window.document('told 10800');
    await window.toast(/trainer will be stopped/);
  });
});

describe('a job that does nothing', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let id: number;

  /** What the machine notes every 15 seconds by its own clock. */
  function noteIdle(minutes: number): void {
    const jobs = path.join(computer().root, 'instances', String(id), '.gpu-rental', 'jobs');
    const beat = `${Math.floor(Date.now() / 1000)} 0 9000000 0 idle${minutes * 60}`;
    for (const job of readdirSync(jobs)) {
      writeFileSync(path.join(jobs, job, 'beat'), `${beat.padEnd(63)}\n`, { flag: 'r+' });
    }
  }

  before(async () => {
    id = await reachableInstance(computer(), 'trainer');
    const limits = { hours: 20, costDollars: 50, idleMinutes: 30 };
    const train = { run: 'sleep 1000', outputs: [], limits };
    window = await openWithJobs(computer(), { train, ending: { ...train, whenDone: { idle: 'stop' } } });
  });

  it('shows in its confirmation when it counts as idle, and what follows', async () => {
    window.run('Run Job…');
    await window.quick.pick('ending');
    await window.quick.title('Run ending: Confirm');
    const rows = window.quick.rows().join('\n');
    assert.match(rows, /When idle.*the job ends after 30 min with each GPU under 5 % and no new log line/);
    assert.match(rows, /Run on trainer, and Stop It as the File Says.*when idle: stop it/);
    window.quick.escape();
    window.run('Run Job…');
    await window.quick.pick('train');
    await window.quick.title('Run train: Confirm');
    assert.match(window.quick.rows().join('\n'), /When idle.*a message appears after 30 min/);
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await window.view('jobs').row(/train.*running/);
  });

  it('is reported with its price, and keeps running until the user stops it', async () => {
    const sentence = /^train has been idle for 3[01] min.*GPU under 5 %\)\. Its machine costs \$\S+\/h\.$/;
    await computer().until('the word of it', async () => {
      noteIdle(30);
      await computer().pass(30_000);
      return window.allMessages().includes('has been idle');
    });
    const { buttons } = await window.toast(sentence);
    assert.deepEqual(buttons, ['Stop Job', 'Show Log']);
    await window.toastButton(sentence, 'Stop Job');
    await window.dialogButton('Stop Job');
    await window.toast(/^train: canceled/);
  });
});
