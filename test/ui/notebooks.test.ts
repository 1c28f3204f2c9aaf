import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

/** Counts its runs in its kernel, and waits for a file in the middle of each. */
const cell = [
  'import os, time\n',
  'runs = globals().get("runs", 0) + 1\n',
  'print(f"run {runs} begins on", os.environ["USER"], flush=True)\n',
  'while not os.path.exists(f"go{runs}"): time.sleep(0.05)\n',
  'print(f"run {runs} ends with", 6 * 7, flush=True)\n',
];
const notebook = {
  cells: [{ cell_type: 'code', execution_count: null, id: 'first', metadata: {}, outputs: [], source: cell }],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

describe('a notebook on this computer, with a kernel on an instance', function () {
  this.bail(true);
  this.timeout(240_000);
  const session = useUiSession('notebooks', {
    patches: lastingToasts,
    extensions: ['ui/jupyter'],
    env: { JUPYTERLAB_SERVICES: createRequire(__filename).resolve('@jupyterlab/services') },
  });
  let workbench: Workbench;
  let home: string;

  before(async () => {
    writeFileSync(path.join(session().root, 'workspace', 'train.ipynb'), JSON.stringify(notebook));
    const id = await reachableInstance(session(), 'trainer');
    home = path.join(session().root, 'instances', String(id));
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
  });

  it('makes the instance ready from its menu', async () => {
    await workbench.run('Use in Notebook…');
    await workbench.toast(/trainer is ready for notebooks/, 60_000);
    await workbench.shot('01-ready');
    await workbench.clearNotifications();
  });

  it('offers it in the kernel picker, beside a rental', async () => {
    const { quick } = workbench;
    await quick.openFile('train.ipynb');
    await workbench.page.locator('.notebookOverlay .cell').first().waitFor();
    await quick.run('Stand-In: Select Rented Kernel');
    await quick.rows.filter({ hasText: 'Rent a GPU…' }).waitFor();
    await workbench.shot('02-picker');
    await quick.pickMatching(/^trainer/);
    await chosenKernel().waitFor();
  });

  /** Waits for a text among the outputs, which are drawn in a frame of their own. */
  const printed = (text: string) =>
    until(
      text,
      async () => {
        const counts = workbench.page.frames().map((frame) =>
          frame
            .getByText(text)
            .count()
            .catch(() => 0),
        );
        return (await Promise.all(counts)).some((count) => count > 0);
      },
      { timeoutMs: 60_000 },
    );
  const chosenKernel = () =>
    workbench.page.locator('.notebook-toolbar-container').getByText('Python 3 · trainer');
  const go = (run: number) => {
    writeFileSync(path.join(home, 'workspace', `go${run}`), '');
  };
  /** Process ids of the tunnels to the instance. */
  const tunnels = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        const line = readIfThere(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
        return line.includes('-L') && line.some((word) => word.includes(session().root));
      })
      .map(Number);

  it('runs a cell on the instance, and continues it if the tunnel is cut', async () => {
    await workbench.quick.run('Notebook: Run All');
    await printed('run 1 begins on');
    const before = await until('the tunnel', () => (tunnels().length > 0 ? tunnels() : undefined));
    for (const pid of before) {
      process.kill(pid, 'SIGKILL');
    }
    await until('another tunnel', () => tunnels().some((pid) => !before.includes(pid)));
    go(1);
    await printed('run 1 ends with 42');
    await workbench.shot('03-cell');
  });

  it('lists the kernel below the instance', async () => {
    const instances = workbench.view('Instances');
    await instances.expand(instances.row('trainer'));
    await instances.row('Kernel python3').waitFor({ timeout: 60_000 });
    await workbench.shot('04-kernel');
  });

  it('has the same kernel after the window was reloaded', async () => {
    await workbench.page.reload();
    await workbench.page.locator('.notebookOverlay .cell').first().waitFor({ timeout: 60_000 });
    await chosenKernel().waitFor({ timeout: 60_000 });
    assert.equal(tunnels().length, 1);
    go(2);
    await workbench.quick.run('Notebook: Run All');
    await printed('run 2 ends with 42');
    assert.equal(await workbench.dialog.count(), 0);
  });

  it('met nothing unexpected', () => {
    assert.doesNotMatch(session().log(), /\[error\]/);
  });
});

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8') || undefined;
  } catch {
    return undefined;
  }
}
