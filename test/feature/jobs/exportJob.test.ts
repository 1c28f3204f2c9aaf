import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { engineProblems } from '../../support/engineSchemas';
import { FakeUri } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a job that leaves for another engine', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const here = (...names: readonly string[]) => path.join(computer().workspace, ...names);
  const file = {
    image: 'pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime',
    maxPricePerHour: 0.8,
    filters: { gpu_name: { in: ['RTX 4090'] }, num_gpus: { eq: 2 } },
    jobs: {
      train: {
        setup: 'pip install -r requirements.txt',
        run: 'python -u train.py',
        secrets: ['HF_TOKEN'],
        limits: { hours: 6, costDollars: 5 },
      },
    },
  };

  async function write(content: object): Promise<void> {
    const place = FakeUri.file(here('.vscode', 'gpu-rental.json'));
    const { documents } = window.screen;
    mkdirSync(here('.vscode'), { recursive: true });
    writeFileSync(place.fsPath, JSON.stringify(content, null, 2));
    documents.close(documents.byUri(place));
    await documents.show(place);
  }

  async function exportTo(engine: string): Promise<void> {
    await new DocumentDriver(window).press('Export Job');
    await window.quick.title('Export Job');
    await window.quick.pick(engine);
    await window.quick.pick('Beside the Job File');
  }

  /** The line that waits in the terminal for Enter. */
  async function waiting(): Promise<string> {
    await computer().until('a terminal', () => window.screen.terminals.all.length > 0);
    const [terminal] = window.screen.terminals.all;
    const [line = ''] = terminal?.sent ?? [];
    terminal?.dispose();
    return line;
  }

  before(async () => {
    window = await computer().openSignedIn();
  });

  it('is a file of SkyPilot beside the job file, and a command that waits for Enter', async () => {
    await write(file);
    await exportTo('SkyPilot Task');
    assert.equal(await waiting(), 'sky launch -c train --secret HF_TOKEN .vscode/train.sky.yaml');
    const content = readFileSync(here('.vscode', 'train.sky.yaml'), 'utf8');
    const value = load(content);
    assert.deepEqual(engineProblems('skypilot', value), []);
    assert.match(content, /^ {2}accelerators: RTX4090:2$/m);
    assert.match(content, /^# - limits.costDollars: There is no limit in total/m);
    assert.match(content, /^ {2}HF_TOKEN: null$/m);
  });

  it('is a file of dstack as well, which sends the folder of the workspace', async () => {
    await write(file);
    await exportTo('dstack Task');
    assert.equal(await waiting(), 'dstack apply -f .vscode/train.dstack.yml');
    const value = load(readFileSync(here('.vscode', 'train.dstack.yml'), 'utf8'));
    assert.deepEqual(engineProblems('dstack', value), []);
    assert.deepEqual((value as { files: unknown }).files, ['..:/workspace/train']);
  });

  it('asks before it replaces a file with another content, and writes the same one without a question', async () => {
    await write(file);
    await exportTo('dstack Task');
    await waiting();
    const place = here('.vscode', 'train.dstack.yml');
    writeFileSync(place, 'type: task\n');
    await write(file);
    await exportTo('dstack Task');
    await window.dialogButton('Not Now', 'Replace train.dstack.yml?');
    await computer().rest();
    assert.equal(readFileSync(place, 'utf8'), 'type: task\n');
    assert.equal(window.screen.terminals.all.length, 0);
  });

  it('is written through no link that leads out of the folder', async () => {
    const outside = path.join(computer().root, 'outside.yaml');
    writeFileSync(outside, 'mine');
    symlinkSync(outside, here('.vscode', 'linked.sky.yaml'));
    await write({ ...file, jobs: { linked: file.jobs.train } });
    await exportTo('SkyPilot Task');
    await window.toast(/leads out of/);
    assert.equal(readFileSync(outside, 'utf8'), 'mine');
    assert.equal(window.screen.terminals.all.length, 0);
  });

  it('stays where an engine can’t run it, with the reason', async () => {
    await write({ ...file, filters: {}, jobs: { any: file.jobs.train } });
    await exportTo('SkyPilot Task');
    await window.toast(/SkyPilot rents a GPU by its name only/);
    await write({ ...file, jobs: { any: { ...file.jobs.train, run: 'echo $$' } } });
    await exportTo('dstack Task');
    await window.toast(/dstack replaces .* then export again: echo \$\$/);
    assert.equal(existsSync(here('.vscode', 'any.sky.yaml')), false);
    assert.equal(existsSync(here('.vscode', 'any.dstack.yml')), false);
  });

  it('starts each job of a matrix with a loop', async () => {
    const matrix = { LR: [0.1, 0.01], SEED: [1, 2] };
    await write({ ...file, jobs: { sweep: { ...file.jobs.train, secrets: [], matrix } } });
    await exportTo('dstack Task');
    assert.equal(
      await waiting(),
      'i=0; for LR in 0.1 0.01; do for SEED in 1 2; do i=$((i+1)); ' +
        'dstack apply -d -n sweep-$i -e LR="$LR" -e SEED="$SEED" -f .vscode/sweep.dstack.yml; done; done',
    );
  });
});
