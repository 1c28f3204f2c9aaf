import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readJob } from '../../../src/jobs/model/jobSpec';
import { parseWorkspaceFile } from '../../../src/model/workspace/workspaceFile';
import { FakeUri } from '../../support/fakeEditor/values';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('a task of another engine', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const here = (...names: readonly string[]) => path.join(computer().workspace, ...names);
  const jobFile = () => here('.vscode', 'gpu-rental.json');
  const task = `name: train
workdir: .
resources:
  infra: vast
  accelerators: RTX4090:2
  image_id: docker:pytorch/pytorch
  max_hourly_cost: 0.8
file_mounts: {/data: ./data}
secrets: {HF_TOKEN: hf_value4711}
run: python train.py
`;

  /** Opens a file of the folder and imports it, up to the question. */
  async function importFile(name: string, content: string): Promise<void> {
    writeFileSync(here(name), content);
    const place = FakeUri.file(here(name));
    const { documents } = window.screen;
    documents.close(documents.byUri(place));
    await documents.show(place);
    window.start('gpuRental.job.import', { uri: place.toString() });
  }

  async function answerLimits(): Promise<void> {
    await window.quick.title('Import Job');
    await window.quick.type('3');
    await window.quick.type('4');
  }

  before(async () => {
    window = await computer().openSignedIn();
  });

  it('becomes a job after a question that shows all of it and what is left out', async () => {
    await importFile('task.yaml', task);
    await answerLimits();
    const { detail = '' } = await window.dialog('Add this job to .vscode/gpu-rental.json?');
    assert.match(detail, /"run": "python train\.py"/);
    assert.match(detail, /Left out: file_mounts/);
    assert.doesNotMatch(detail, /hf_value4711/);
    assert.equal(existsSync(jobFile()), false);
    await window.dialogButton('Add Job');
    await computer().until('the file', () => existsSync(jobFile()));
    const source = readFileSync(jobFile(), 'utf8');
    const job = readJob(source, 'train');
    assert.deepEqual(
      [job.run, job.hours, job.costDollars, job.secrets],
      ['python train.py', 3, 4, ['HF_TOKEN']],
    );
    const { image, maxPricePerHour, filters } = parseWorkspaceFile(source);
    assert.deepEqual([image, maxPricePerHour], ['pytorch/pytorch', 0.8]);
    assert.deepEqual(filters['num_gpus'], { eq: 2 });
    assert.doesNotMatch(source, /hf_value4711/);
  });

  it('is added with its machine to a file that has jobs, under a free name', async () => {
    await importFile('again.yaml', task.replace('RTX4090:2', 'H200:8'));
    await answerLimits();
    await window.dialogButton('Add Job', 'Add this job');
    await computer().until('the job', () => readFileSync(jobFile(), 'utf8').includes('train-2'));
    const source = readFileSync(jobFile(), 'utf8');
    assert.equal(readJob(source, 'train-2').machineName, 'train-2');
    assert.deepEqual(parseWorkspaceFile(source, 'train-2').filters['num_gpus'], { eq: 8 });
    assert.deepEqual(parseWorkspaceFile(source).filters['num_gpus'], { eq: 2 });
  });

  it('changes nothing without the answer, or if it is no simple task', async () => {
    const before = readFileSync(jobFile(), 'utf8');
    await importFile('other.yaml', task);
    await answerLimits();
    await window.dialogButton('Not Now', 'Add this job');
    await importFile('nodes.yaml', `num_nodes: 2\n${task}`);
    await window.toast(/Only a simple task can become a job/);
    await computer().rest();
    assert.equal(readFileSync(jobFile(), 'utf8'), before);
  });
});
