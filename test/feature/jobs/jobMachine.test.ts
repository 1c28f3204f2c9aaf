import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type * as vscode from 'vscode';
import { FakeCancellationTokenSource } from '../../support/fakeEditor/events';
import { FakeCustomExecution } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { openForJobs, rentForJob, reviewJob, writeJob } from '../../support/feature/jobDriver';
import { watchPrograms } from '../../support/feature/programsRun';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job that a machine is rented for', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const instances = () => computer().simulator.world.instances;

  /** From the lens above the job to the confirmation of its machine. */
  async function review(): Promise<readonly string[]> {
    await writeJob(window, { run: 'sh train.sh' });
    return reviewJob(window);
  }

  before(async () => {
    window = await openForJobs(computer());
  });

  it('is confirmed once, with its price, its end, what is sent and what becomes of the machine', async () => {
    const rows = (await review()).join('\n');
    assert.match(rows, /Rent for \$\S+\/h and Run train/);
    assert.match(rows, /Ends at the latest.*after 1 h, which costs \$\S+ at most/);
    assert.match(rows, /^Machine after success.*destroy it \(all data on it is lost\)$/m);
    assert.match(rows, /^Machine after failure or at a limit.*stop it \(storage still costs money\)$/m);
    assert.match(rows, /Sent.*1 file/);
    // Hours that the job does not have would contradict its end.
    assert.match(rows, /^Traffic.*download .*, upload /m);
    assert.doesNotMatch(rows, /Estimate|More Options/);
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('keeps to the limit, filters and environment of a file that names no image', async () => {
    await writeJob(window, { run: 'sh train.sh' }, { image: undefined, env: { FROM_FILE: 'yes' } });
    await new DocumentDriver(window).press('Run Job');
    await window.quick.title('Search Offers for train');
    await window.quick.row(/^Filters.*Available for: ≥ 0\.09 days/);
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for train: Confirm');
    assert.match(window.quick.rows().join('\n'), /^Environment.*FROM_FILE/m);
    const search = computer().simulator.received('POST', '/api/v0/bundles/').at(-1)?.body as object;
    assert.deepEqual(Reflect.get(search, 'dph_total'), { lte: 0.5 });
    assert.deepEqual(Reflect.get(search, 'gpu_name'), { eq: 'RTX 3090' });
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('names in its confirmation what another attempt may cost, and that the old machine is destroyed', async () => {
    await writeJob(window, { run: 'sh train.sh', retries: { interrupted: 3, machineLost: 1 } });
    const rows = (await reviewJob(window)).join('\n');
    assert.match(
      rows,
      /Runs again after.*interrupted: 3, machine lost: 1.*another machine costs \$0\.50\d*\/h at most, and the old one is destroyed; \$5\S* at most for all attempts/,
    );
    window.quick.escape();
    await computer().rest();
    assert.equal(rentals().length, 0);
  });

  it('runs to its end on a machine that was checked once, which is destroyed once its outputs are here', async () => {
    const programs = watchPrograms();
    await review();
    await rentForJob(window);
    await computer().until('the rental', () => instances().length === 1);
    await window.toast(/^train: succeeded after .* for \$/);
    programs.end();
    assert.equal(programs.inputs.filter((input) => input.includes('gpu-rental proof')).length, 1);
    const [run = ''] = readdirSync(path.join(computer().workspace, 'gpu-outputs', 'train'));
    const model = path.join(computer().workspace, 'gpu-outputs', 'train', run, 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'model');
    await window.toast(/is destroyed after train/);
    assert.deepEqual([instances().length, rentals().length], [0, 1]);
    await window.view('jobs').row(/train.*succeeded/);
    window.clearToasts();
  });

  it('runs as a task, whose terminal follows it from its rental to its exit code', async () => {
    await writeJob(window, { run: 'sh train.sh; exit 4' });
    const [task] = (await window.screen.tasks?.provideTasks(new FakeCancellationTokenSource().token)) ?? [];
    const execution: unknown = task?.execution;
    assert.ok(execution instanceof FakeCustomExecution);
    const terminal: vscode.Pseudoterminal = await execution.start();
    const written: string[] = [];
    const codes: unknown[] = [];
    terminal.onDidWrite((data) => written.push(data));
    terminal.onDidClose?.((code) => codes.push(code));
    terminal.open(undefined);
    await window.quick.title('Search Offers for train');
    await window.quick.pick(/1× RTX 3090/);
    await window.quick.title('Rent for train: Confirm');
    await rentForJob(window);
    await window.toast(/^train: failed with code 4/);
    await computer().until('the end of the terminal', () => codes.length > 0);
    assert.deepEqual(codes, [4]);
    assert.match(written.join(''), /epoch 1\r\n/);
    terminal.close();
    window.clearToasts();
  });
});
