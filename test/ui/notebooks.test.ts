import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { signIn } from '../support/journey';
import { reachableInstance } from '../support/reachableInstance';
import { lastingToasts, useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

const cell = [
  'import os\n',
  "open('answer.txt', 'w').write(str(6 * 7))\n",
  "print(6 * 7, 'on', os.environ['USER'])",
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
  const session = useUiSession('notebooks', { patches: lastingToasts, extensions: ['ui/jupyter'] });
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
  });

  it('runs a cell on the instance', async () => {
    await workbench.quick.run('Notebook: Run All');
    const answer = await until(
      'the cell to run',
      () => readIfThere(path.join(home, 'workspace', 'answer.txt')),
      {
        timeoutMs: 60_000,
      },
    );
    assert.equal(answer, '42');
  });

  it('lists the kernel below the instance', async () => {
    const instances = workbench.view('Instances');
    await instances.expand(instances.row('trainer'));
    await instances.row('Kernel python3').waitFor({ timeout: 60_000 });
    await workbench.shot('03-kernel');
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
