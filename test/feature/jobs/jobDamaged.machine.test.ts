import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { areJobsOver, writeJob, runJob } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';

describe('a job whose file is damaged', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('is named once with the place of the file, and the next job runs', async () => {
    await reachableInstance(computer(), 'trainer');
    let window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    const job = { run: 'true', machine: 'running' };
    await writeJob(window, job);
    await runJob(window, /Run on trainer/);
    await window.toast(/^train: succeeded/);
    window.close();
    const [file = ''] = readdirSync(computer().root, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(computer().root, name))
      .filter((name) => /jobs.*\/[0-9a-f]{16}\.json$/.test(name));
    writeFileSync(file, '{"version":1');
    window = await computer().openWindow({ isFocused: true });
    const damaged = /^A job is missing from the list, and its machine may still cost money\. /;
    const { buttons } = await window.toast(damaged);
    assert.deepEqual(buttons, ['Show Instances', 'Show File']);
    await window.view('jobs').row('Could not read the list');
    await writeJob(window, job);
    window.run('Run Job…');
    await window.toast(/^train: succeeded/);
    assert.equal(window.toasts().filter((one) => damaged.test(one)).length, 1);
    await window.toastButton(damaged, 'Show File');
    await window.document('{"version":1');
    window.close();
  });

  it('is over if that is the file of its progress: nothing runs again, and it is reported once', async () => {
    let window = await computer().openWindow({ isFocused: true });
    const runs = path.join(computer().root, 'runs');
    await writeJob(window, { run: `echo run >>${runs}; echo`, machine: 'running' });
    await runJob(window, /Run on trainer/);
    await window.toast(/^train: succeeded/);
    await computer().until('the end of the job', () => areJobsOver(computer()));
    window.close();
    const file = readdirSync(computer().root, { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(computer().root, name))
      .find((name) => /jobs.*\/[0-9a-f]{16}\.json$/.test(name) && readFileSync(name, 'utf8').includes(runs));
    writeFileSync(file?.replace(/json$/, 'state.json') ?? '', '');
    const lost =
      /^train is not continued\. Its progress is lost\. .*your instances\. Its file is damaged and was set aside\.$/;
    for (const time of ['first', 'second']) {
      window = await computer().openWindow({ isFocused: true });
      if (time === 'first') {
        const { buttons } = await window.toast(lost);
        assert.deepEqual(buttons, ['Show Instance', 'Show File']);
        await window.toastButton(lost, 'Show File');
        assert.match((await window.document(/^$/)).fileName, /\.broken-\d+$/);
        window.clearToasts();
      }
      await window.view('jobs').row(/^train.*progress lost · time and cost unknown/);
      await computer().pass(10 * 60_000);
      assert.deepEqual([window.toasts(), readFileSync(runs, 'utf8')], [[], 'run\n']);
      const hover = await window.view('jobs').tooltip(/^train.*progress lost/);
      assert.match(hover, /Its progress is lost.*unknown.*it may still run and cost money/s);
      window.close();
    }
  });
});
