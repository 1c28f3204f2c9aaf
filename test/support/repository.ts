import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { newJobState, type Job, type JobPhase } from '../../src/jobs/model/job';
import { readJob } from '../../src/jobs/model/jobSpec';
import { fromDollars } from '../../src/model/money';
import type { AgentWindow } from './agentWindows';

/** A job of an hour that sends one file, and whose machine is destroyed after success. */
export const trainJob = {
  run: 'sh train.sh',
  limits: { hours: 1, costDollars: 5 },
  whenDone: { success: 'destroy', failure: 'stop' },
} as const;

export interface RepositoryParts {
  readonly job?: object;
  readonly machine?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes a folder with a job `train` beside the storage of a computer, and opens it in a window that trusts it. */
export function openRepository(
  { agentJobs }: Pick<AgentWindow, 'agentJobs'>,
  { storageDir }: { readonly storageDir: string },
  { job = {}, machine = {}, files = { 'train.sh': 'echo epoch 1\n' } }: RepositoryParts = {},
): string {
  const folder = path.join(storageDir, 'repository');
  const source = {
    image: 'ubuntu:24.04',
    diskGb: 20,
    maxPricePerHour: 1,
    ...machine,
    jobs: { train: { ...trainJob, ...job } },
  };
  const all = { ...files, '.vscode/gpu-rental.json': JSON.stringify(source) };
  for (const [name, content] of Object.entries(all)) {
    const file = path.join(folder, ...name.split('/'));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  agentJobs.folders.all = [folder];
  return folder;
}

/** A job whose command runs on instance 5001, or has ended there; returns its handle. */
export async function orderRunningJob(
  { agentJobs: { jobs } }: Pick<AgentWindow, 'agentJobs'>,
  {
    agent,
    name = 'train',
    phase = 'running',
  }: Partial<Pick<Job, 'agent'>> & { name?: string; phase?: JobPhase } = {},
): Promise<string> {
  const source = JSON.stringify({ jobs: { train: trainJob } });
  const machine = { instanceId: 5001, name: 'training', perHour: fromDollars(0.4) };
  await jobs.ready;
  const job = await jobs.order(
    {
      spec: { ...readJob(source, 'train'), name },
      ...{ workspace: '/repository', workspaceKey: 'ab', outputsTo: '/repository/outputs', machine },
      ends: { success: 'keep', failure: 'keep', limit: 'keep' },
      agent,
    },
    [],
  );
  const at = job.orderedAt;
  await jobs.putState({
    ...newJobState(job),
    phase,
    beganAt: at,
    startedAt: at,
    limitSeconds: 3600,
    machine,
  });
  return `job_${job.id}`;
}
