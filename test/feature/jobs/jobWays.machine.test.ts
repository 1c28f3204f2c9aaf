import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type * as vscode from 'vscode';
import { FakeCancellationTokenSource } from '../../support/fakeEditor/events';
import { FakeCustomExecution, FakeUri } from '../../support/fakeEditor/values';
import { openWithJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    writeFileSync(path.join(computer().workspace, 'my train.sh'), 'mkdir -p outputs; date >outputs/done\n');
    window = await openWithJobs(computer(), { train: { run: 'echo epoch 1; exit 3', outputs: [] } });
  });

  async function confirm(title: string): Promise<void> {
    await window.quick.title(title);
    await computer().pass(1000);
    await window.quick.pick(/Run on trainer/);
    await computer().pass(1000);
  }

  /** Runs the task of the job in a terminal. */
  async function startTask() {
    const tasks = await window.screen.tasks?.provideTasks(new FakeCancellationTokenSource().token);
    const [task] = tasks ?? [];
    assert.deepEqual([tasks?.length, task?.definition], [1, { type: 'gpuRental', job: 'train' }]);
    const execution: unknown = task?.execution;
    assert.ok(execution instanceof FakeCustomExecution);
    const terminal: vscode.Pseudoterminal = await execution.start();
    const shown = { written: '', code: undefined as unknown, close: () => terminal.close() };
    terminal.onDidWrite((data) => {
      shown.written += data;
    });
    terminal.onDidClose?.((value) => {
      shown.code = value;
    });
    terminal.open(undefined);
    return shown;
  }

  it('runs as a task, whose terminal shows its log and has its exit code', async () => {
    const shown = await startTask();
    await confirm('Run train: Confirm');
    await window.toast(/^train: failed with code 3/);
    await computer().until('the end of the terminal', () => shown.code !== undefined);
    assert.equal(shown.code, 3);
    assert.match(shown.written, /epoch 1\r\n/);
    shown.close();
    window.clearToasts();
  });

  it('runs again as the file has it now', async () => {
    window.start('gpuRental.job.rerun');
    // Its text is confirmed already.
    await window.toast(/^train: failed with code 3/);
    await window.view('jobs').row(/train.*failed with code 3/);
    window.clearToasts();
  });

  it('is a script of the workspace, with limits that are asked for', async () => {
    await window.screen.documents.show(FakeUri.file(path.join(computer().workspace, 'my train.sh')));
    window.start('gpuRental.runActiveFile');
    await window.quick.pick('As a Job');
    await window.quick.title('Run my train.sh as a Job');
    await window.quick.type('0', { enter: false });
    await window.quick.type('2');
    await window.quick.type('3');
    await window.quick.title('Run my train.sh: Confirm');
    assert.match(window.quick.rows().join('\n'), /after 2 h/);
    await confirm('Run my train.sh: Confirm');
    const { buttons } = await window.toast(/^my train\.sh: succeeded/);
    assert.deepEqual(buttons, ['Open Outputs of Job', 'Show Log']);
    const { executed } = window.screen.commands;
    const shown = () => executed.filter(({ id }) => id === 'revealInExplorer').map(({ args }) => args[0]);
    await window.toastButton(/^my train\.sh: succeeded/, 'Open Outputs of Job');
    await computer().until('the folder to be shown', () => shown().length === 1);
    const [uri] = shown();
    assert.ok(uri instanceof FakeUri);
    assert.ok(existsSync(path.join(uri.fsPath, 'outputs', 'done')), uri.fsPath);
    rmSync(uri.fsPath, { recursive: true });
    await window.view('jobs').menu(/my train\.sh.*succeeded/, 'Open Outputs of Job');
    const gone = await window.toast(/isn’t there\. The outputs of my train\.sh were moved or deleted\./);
    assert.deepEqual(gone.buttons, ['Fetch Outputs of Job', 'Run Job Again…', 'Show Instance']);
    assert.equal(shown().length, 1);
  });

  it('runs again as it was ordered where no file has it', async () => {
    window.clearToasts();
    await window.view('jobs').menu(/my train\.sh.*succeeded/, 'Run Job Again');
    await confirm('Run my train.sh: Confirm');
    await window.toast(/^my train\.sh: succeeded/);
    const rows = await window.view('jobs').rows();
    assert.equal(rows.filter(({ text }) => /my train\.sh.*succeeded/.test(text)).length, 2);
  });

  it('explains in the terminal of its task why it can’t run', async () => {
    const file = path.join(computer().workspace, '.vscode', 'gpu-rental.json');
    const limits = { hours: 1, costDollars: 0.001 };
    writeFileSync(file, JSON.stringify({ jobs: { train: { run: 'true', machine: 'running', limits } } }));
    const { documents } = window.screen;
    documents.close(documents.byUri(FakeUri.file(file)));
    const shown = await startTask();
    await computer().until('the end of the terminal', () => shown.code !== undefined);
    assert.equal(shown.code, 1);
    assert.match(
      shown.written,
      /^\r\nThe job train would use up its \$0\.0010 before its command starts, .*\r\n$/,
    );
    shown.close();
    window.clearToasts();
  });
});
