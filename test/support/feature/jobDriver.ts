import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JobState } from '../../../src/jobs/model/job';
import { FakeUri } from '../fakeEditor/values';
import type { Computer } from './computer';
import { DocumentDriver } from './documentDriver';
import { registerKey } from './reachable';
import { evenPrices } from './rentDriver';
import type { FeatureWindow } from './window';

/** A signed-in window, with a key, and in the workspace a `train.sh` that writes a model. */
export async function openForJobs(computer: Computer): Promise<FeatureWindow> {
  await registerKey(computer);
  await evenPrices(computer);
  const window = await computer.openSignedIn();
  window.clearToasts();
  writeFileSync(
    path.join(computer.workspace, 'train.sh'),
    'mkdir -p outputs; echo "epoch 1"; printf model >outputs/model.bin\n',
  );
  return window;
}

/** A window that shows the instance trainer, with jobs for it in the workspace, by default of an hour and $5. */
export async function openWithJobs(
  computer: Computer,
  jobs: Readonly<Record<string, object>>,
): Promise<FeatureWindow> {
  const usual = { machine: 'running', limits: { hours: 1, costDollars: 5 } };
  const all = Object.entries(jobs).map(([name, job]) => [name, { ...usual, ...job }] as const);
  const file = path.join(computer.workspace, '.vscode', 'gpu-rental.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ jobs: Object.fromEntries(all) }));
  const window = await computer.openSignedIn();
  await window.view('instances').row('trainer');
  window.clearToasts();
  return window;
}

/** Writes the file of the workspace with one job, which gets a machine of its own, and reopens it. */
export function writeJob(
  window: FeatureWindow,
  job: Readonly<Record<string, unknown>>,
  machine: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  return writeJobs(
    window,
    { train: { machine: 'new', limits: { hours: 1, costDollars: 5 }, ...job } },
    { filters: { gpu_name: { eq: 'RTX 3090' } }, ...machine },
  );
}

/** Writes the file of the workspace with these jobs, as git does, and reopens it. */
export async function writeJobs(
  window: FeatureWindow,
  jobs: Readonly<Record<string, unknown>>,
  machine: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { computer, screen } = window;
  const file = path.join(computer.workspace, '.vscode', 'gpu-rental.json');
  mkdirSync(path.dirname(file), { recursive: true });
  const content = { image: 'pytorch/pytorch:latest', maxPricePerHour: 0.5, ...machine, jobs };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  screen.documents.close(screen.documents.byUri(FakeUri.file(file)));
  await screen.documents.show(FakeUri.file(file));
}

/** Runs train, the only job of the workspace, by the palette and this row of its confirmation. */
export async function runJob(window: FeatureWindow, row: RegExp): Promise<void> {
  window.run('Run Job…');
  await window.quick.title('Run train: Confirm');
  await window.computer.pass(1000);
  await window.quick.pick(row);
}

/** Waits until the confirmation has stood long enough for an Enter to count. */
export async function confirmJob(window: FeatureWindow, row: string): Promise<void> {
  await window.quick.title(/: Confirm$/);
  await window.computer.pass(1000);
  await window.quick.pick(row);
  await window.computer.pass(1000);
}

/** From the lens above the job to the confirmation of its machine. */
export async function reviewJob(window: FeatureWindow): Promise<readonly string[]> {
  await new DocumentDriver(window).press('Run Job');
  await window.quick.title('Search Offers for train');
  await window.quick.pick(/1× RTX 3090/);
  await window.quick.title('Rent for train: Confirm');
  return window.quick.rows();
}

/** Presses the row that rents, once an Enter counts. */
export async function rentForJob(window: FeatureWindow): Promise<void> {
  await window.computer.pass(1000);
  await window.quick.pick(/and Run train/);
}

/** What a played job does; each start of it leaves a line in a file that no machine takes with it. */
export interface PlayedJob {
  /** In the views. */
  readonly name: string;
  readonly startsFile: string;
  /** The bytes that it brings back. */
  readonly payload: Buffer;
  readonly epochs: number;
  /** Absent if any is right. */
  readonly code: number | undefined;
  readonly ends: Readonly<Record<string, string>>;
}

/** Orders a job with a machine of its own, until its order stands on the disk; false where none came of it. */
export async function playOrder(window: FeatureWindow, job: PlayedJob): Promise<boolean> {
  const { computer } = window;
  writeFileSync(path.join(computer.workspace, 'payload.bin'), job.payload);
  const run = [
    `echo "$GPU_RENTAL_JOB_ID" >>${job.startsFile}`,
    'cp payload.bin outputs/model.bin',
    ...Array.from({ length: job.epochs }, (_, index) => `echo epoch ${index + 1}`),
    'sleep 0.2',
    `exit ${job.code ?? 0}`,
  ];
  await writeJob(window, { run, outputs: ['outputs/**'], whenDone: job.ends });
  await reviewJob(window);
  await rentForJob(window);
  return computer
    .until('the order', () => !window.isOpen || jobsOnDisk(computer).length > 0, { withinMs: 60_000 })
    .catch(() => false);
}

/** How far the jobs are that stand on the disk of a computer; `undefined` for one of which nothing is written yet. */
export function jobsOnDisk({ storage }: Pick<Computer, 'storage'>): readonly (JobState | undefined)[] {
  const names = readdirSync(storage, { recursive: true, encoding: 'utf8' });
  return names.flatMap((name) => {
    const [, order] = /^(accounts.*jobs.*[0-9a-f]{16})\.json$/.exec(name) ?? [];
    const state = `${order}.state.json`;
    return order === undefined
      ? []
      : [
          names.includes(state)
            ? (JSON.parse(readFileSync(path.join(storage, state), 'utf8')) as JobState)
            : undefined,
        ];
  });
}

export function areJobsOver(computer: Pick<Computer, 'storage'>): boolean {
  return jobsOnDisk(computer).every((state) => state?.phase === 'over');
}
