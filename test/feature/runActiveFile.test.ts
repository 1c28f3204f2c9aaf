import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeJobs } from '../support/feature/jobDriver';
import { reachableInstance } from '../support/feature/reachable';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('running the active file', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const ids: Record<string, number> = {};
  let window: FeatureWindow;

  before(async () => {
    ids['worker'] = await reachableInstance(computer(), 'worker');
    ids['helper'] = await computer().rentRunning({ label: 'helper', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    await window.view('instances').row('helper');
    window.clearToasts();
    const file = path.join(computer().workspace, 'train.py');
    writeFileSync(file, 'print(1)\n');
    await window.screen.documents.show(await window.screen.documents.open(file));
  });

  /** Runs it on the instance that is picked, and says where it ran. */
  async function runOn(name: string): Promise<string> {
    const before = window.screen.terminals.history.length;
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.quick.row(/^worker/);
    await window.quick.pick(name);
    const { shellArgs } = await computer().until(
      'a terminal',
      () => window.screen.terminals.history[before]?.creationOptions,
    );
    const alias = [shellArgs ?? []].flat().find((arg) => /^gpu-/.test(arg)) ?? '';
    return Object.keys(ids).find((one) => alias.endsWith(`-${ids[one]}`)) ?? alias;
  }

  it('asks each time if several run, and runs on the chosen one', async () => {
    assert.equal(await runOn('worker'), 'worker');
    assert.equal(await runOn('helper'), 'helper');
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('In a Terminal');
    await window.quick.row(/^worker/);
    assert.match(window.quick.activeRow() ?? '', /helper/);
    window.quick.escape();
  });

  it('proposes what was chosen last in the workspace, also in the next window', async () => {
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('As a Job');
    await window.quick.title('Run train.py as a Job');
    window.quick.escape();
    window.close();
    const next = await computer().openWindow();
    await next.screen.documents.show(
      await next.screen.documents.open(path.join(computer().workspace, 'train.py')),
    );
    next.start('gpuRental.runActiveFile');
    await next.quick.row('In a Terminal');
    assert.match(next.quick.activeRow() ?? '', /As a Job/);
    next.quick.escape();
  });

  it('asks only for the instance if no folder has the file, as no job could run it', async () => {
    const next = await computer().openWindow();
    const file = path.join(computer().root, 'alone.py');
    writeFileSync(file, 'print(2)\n');
    await next.screen.documents.show(await next.screen.documents.open(file));
    next.start('gpuRental.runActiveFile');
    await next.quick.row(/^worker/);
    next.quick.escape();
  });

  it('runs a job of the workspace on the instance of a row without asking which', async () => {
    const next = await computer().openWindow();
    await next.view('instances').row('helper');
    await writeJobs(next, { train: { run: 'true', limits: { hours: 1, costDollars: 5 }, outputs: [] } });
    await next.view('instances').menu('helper', 'Run Job…');
    await next.quick.title('Run train: Confirm');
    assert.match(next.quick.rows().join('\n'), /Run on helper/);
    next.quick.escape();
  });

  describe('with a block that names its packages', () => {
    const block = (...lines: readonly string[]) =>
      ['# /// script', ...lines, '# ///', 'print(1)', ''].join('\n');
    const open = async (source: string) => {
      const next = await computer().openWindow();
      await next.view('instances').row('helper');
      const file = path.join(computer().workspace, 'needs.py');
      writeFileSync(file, source);
      await next.screen.documents.show(await next.screen.documents.open(file));
      next.start('gpuRental.runActiveFile');
      return next;
    };

    it('names what its machine lacks without uv, and runs with the Python of the image', async () => {
      const next = await open(block('# dependencies = ["no-such-package-1"]'));
      await next.quick.pick('In a Terminal');
      await next.quick.pick('worker');
      const { text, detail, buttons } = await next.dialog('worker has no uv');
      assert.equal(text, 'worker has no uv, which installs the packages that needs.py names.');
      assert.match(detail ?? '', /The Python of its image lacks no-such-package-1\.$/);
      assert.deepEqual(buttons, [
        'Not Now',
        'Install uv and Run',
        'Run With the Python of the Image',
        'Cancel',
      ]);
      await next.dialogButton('Run With the Python of the Image');
      const { shellArgs } = await computer().until(
        'a terminal',
        () => next.screen.terminals.history[0]?.creationOptions,
      );
      assert.match(String(shellArgs), /python3 -u .*needs\.py/);
    });

    it('runs as a job with its own outputs, its template and limits that it can only lower', async () => {
      await new ServiceTemplates(computer).make('Trainer of the script');
      writeFileSync(path.join(computer().workspace, 'needs.py.lock'), 'version = 1\n');
      writeFileSync(path.join(computer().workspace, '.gitignore'), '*.lock\n');
      const next = await open(
        block(
          '# dependencies = []',
          '# [tool.gpu-rental]',
          '# machine = "Trainer of the script"',
          '# outputs = ["result/**"]',
          '# limits = { hours = 2, costDollars = 900 }',
        ),
      );
      await next.quick.pick('As a Job');
      await next.quick.title('Run needs.py as a Job');
      await next.quick.type('3', { enter: false });
      await next.quick.message('Enter a number above 0 and at most 2.');
      await next.quick.type('1');
      await next.quick.type('721', { enter: false });
      await next.quick.message('Enter a number above 0 and at most 720.');
      await next.quick.type('4');
      await next.quick.pick('helper');
      await next.quick.title('Run needs.py: Confirm');
      const rows = next.quick.rows().join('\n');
      assert.match(rows, /Sent 4 files/);
      assert.match(rows, /result\/\*\*/);
      assert.match(rows, /Set-up command -v uv \|\| .*pip install uv/);
      assert.match(rows, /uv run --script \.\/needs\.py/);
      await computer().pass(1000);
      await next.quick.pick('Rent a GPU for It…');
      await next.quick.title(/Search Offers for needs\.py/);
      next.quick.escape();
    });

    it('is not run with a block that is wrong, or with a template that the account lacks', async () => {
      const wrong = await open(block('# dependencies = ['));
      await wrong.quick.pick('In a Terminal');
      await wrong.toast('The "# /// script" block of needs.py is not valid TOML in its line 1.');
      const unknown = await open(block('# [tool.gpu-rental]', '# machine = "Other"'));
      await unknown.quick.pick('As a Job');
      await unknown.toast('No machine of the workspace and no template of this account has the name Other.');
      // The workspace describes it.
      mkdirSync(path.join(computer().workspace, '.vscode'), { recursive: true });
      const machines = { Other: { image: 'a/b:1', maxPricePerHour: 2 } };
      writeFileSync(
        path.join(computer().workspace, '.vscode', 'gpu-rental.json'),
        JSON.stringify({ machines }),
      );
      const known = await open(block('# [tool.gpu-rental]', '# machine = "Other"'));
      await known.quick.pick('As a Job');
      await known.quick.type('1');
      await known.quick.type('4');
      await known.quick.title('Search Offers for needs.py');
      known.quick.escape();
    });
  });
});
