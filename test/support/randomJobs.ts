import * as fc from 'fast-check';
import { outputsFolder } from '../../src/jobs/machine/outputPatterns';
import type { LeavingJob } from '../../src/jobs/model/export/engineJob';
import { readJob } from '../../src/jobs/model/jobSpec';
import { recipeForJobs } from '../../src/jobs/model/jobsInFile';
import { knownGpuModels } from '../../src/model/offers/gpuModels';
import { quoteForShell } from '../../src/ssh/commandLine';
import { hostileText } from './hostileText';

/** Texts that YAML, a shell or a here-document reads as something else. */
const trap = fc.constantFrom(
  ...'no NO on y null ~ 1_ 0x_ 010 1e3 12:30 = << .inf 2026-01-01 --- ... {a [a | > RUN SETUP %TAG &a *a'.split(
    ' ',
  ),
  ...[
    'a: b',
    '# a',
    '- a',
    '!!python/object:a',
    '{{ a }}',
    "'",
    '"',
    '\\',
    '\t',
    ' a',
    'a ',
    'a\tb',
    'a\n',
    '\n a',
  ],
  ...[
    'RUN\nrm x',
    'a\r\nb',
    '\u0085',
    '\u2028',
    '\ufeff',
    'é',
    '机',
    '😀',
    '? a',
    ', a',
    '@a',
    '`a`',
    'a #b',
    '',
  ],
);
/** What a user could type or paste; without characters that no file of jobs may have. */
export const anyText = fc.oneof(trap, hostileText).map((value) => value.replace(/[\0\p{Cs}]/gu, ''));

const script = fc
  .oneof(
    { weight: 10, arbitrary: anyText },
    { weight: 10, arbitrary: fc.array(anyText, { maxLength: 5 }).map((lines) => lines.join('\n')) },
    fc.constant('for f in *; do\n\techo "$f"\ndone\ncat <<EOF\n  indented\nEOF\n'),
    fc.constant(
      'echo $GPU_RENTAL_GPUS $GPU_RENTAL_JOB_ID $GPU_RENTAL_DEADLINE $GPU_RENTAL_RESUME $GPU_RENTAL_OUTPUTS',
    ),
    { weight: 1, arbitrary: fc.constant(1024).map((count) => 'x'.repeat(64).repeat(count)) },
  )
  .map((value) => (value.trim() === '' ? `:${value}` : value))
  .filter((value) => Buffer.byteLength(value) <= 64 * 1024);
const variable = fc.constantFrom('A', 'NO', 'y', 'LR', 'Seed', '_x1', 'null', 'ON', 'HF_HOME', 'N');
const name = fc.oneof(
  fc.constantFrom(
    'train',
    'a',
    '1',
    'Train 7B',
    'no',
    'on.',
    'A-',
    'x'.repeat(40),
    '9 _.-',
    'con',
    '2026-01-01',
  ),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/),
);
const end = fc.constantFrom('keep', 'stop', 'destroy');
const filters = fc.record(
  {
    gpu_name: fc.oneof(
      fc.constantFrom(...knownGpuModels).map((eq) => ({ eq })),
      fc
        .uniqueArray(fc.constantFrom(...knownGpuModels), { minLength: 1, maxLength: 4 })
        .map((names) => ({ in: names })),
    ),
    num_gpus: fc.oneof(
      fc.record({ eq: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ gte: fc.integer({ min: 1, max: 4 }), lte: fc.integer({ min: 1, max: 8 }) }),
    ),
    gpu_ram: fc.record({ gte: fc.constantFrom(24_000, 24_564, 80_000) }),
    cpu_ram: fc.record({ gte: fc.constantFrom(64_000, 65_536, 1) }),
    cpu_cores: fc.record({ gte: fc.integer({ min: 1, max: 128 }) }),
    reliability: fc.oneof(
      fc.record({ gte: fc.constantFrom(0.5, 0.98) }),
      fc.record({ lt: fc.constant(0.9) }),
    ),
    datacenter: fc.record({ eq: fc.boolean() }),
    geolocation: fc.record({ in: fc.constant(['SE', 'DE']) }),
    inet_down: fc.record({ gte: fc.constant(200) }),
  },
  { requiredKeys: ['gpu_name'] },
);
const machine = fc.record(
  {
    image: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('pytorch/pytorch:2.5.1', 'a', 'ghcr.io/o/i@sha256:ab') },
      { weight: 1, arbitrary: anyText.filter((one) => one.trim() !== '') },
    ),
    filters,
    diskGb: fc.integer({ min: 8, max: 2000 }),
    env: fc.dictionary(
      variable,
      anyText.map((one) => one.replace(/[\r\n]/g, '')),
    ),
    ports: fc.uniqueArray(fc.constantFrom('8080:8080', '22:1', '70000:70000', '53:53/udp', '80:443/tcp')),
    onStart: anyText,
    maxPricePerHour: fc.double({ min: 0.01, max: 20, noNaN: true }),
    interruptible: fc.record({ maxBid: fc.constant(0.3) }),
    end: fc.record({ idleMinutes: fc.constant(30) }),
    volumes: fc.constant([{ name: 'data', mount: '/data', optional: true }]),
    folder: fc.constant('/workspace'),
    whenRunning: fc.constantFrom('connect', 'ask'),
  },
  { requiredKeys: ['image', 'filters', 'maxPricePerHour'] },
);
const job = fc.record(
  {
    run: fc.oneof(script, fc.array(script, { minLength: 1, maxLength: 2 })),
    setup: script,
    setupInputs: fc.constant(['requirements.txt']),
    workdir: fc.constantFrom('.', 'sub', 'a b/c', 'no'),
    sync: fc.constantFrom(false, { exclude: ['data'] }, {}),
    env: fc.dictionary(variable, anyText),
    secrets: fc.uniqueArray(fc.constantFrom('HF_TOKEN', 'Y', 'KEY')),
    outputs: fc.constantFrom([], ['outputs/**'], ["it's/**"], ['/workspace/out/**'], ['*.txt']),
    checkpoints: fc.constant(['outputs/last.ckpt']),
    fetchMinutes: fc.constant(5),
    outputsTo: fc.constant('results'),
    machine: fc.constantFrom('new', 'running', 'ask'),
    limits: fc.record(
      {
        hours: fc.oneof(fc.integer({ min: 1, max: 720 }), fc.constantFrom(0.1, 1.5, 0.0003)),
        costDollars: fc.constantFrom(0.01, 1, 5, 5000),
        setupMinutes: fc.constantFrom(1, 30, 45.5),
        graceSeconds: fc.integer({ min: 0, max: 600 }),
        idleMinutes: fc.constantFrom(5, 30, 60),
      },
      { requiredKeys: ['hours', 'costDollars'] },
    ),
    whenDone: fc.record(
      { success: end, failure: end, limit: end, keepMinutes: fc.constant(5) },
      { requiredKeys: [] },
    ),
    retries: fc.record(
      {
        interrupted: fc.integer({ min: 0, max: 3 }),
        machineLost: fc.integer({ min: 0, max: 3 }),
        exitCodes: fc.constantFrom({ '75': 2 }, { '137': 1, '7': 3 }),
      },
      { requiredKeys: [] },
    ),
    matrix: fc.dictionary(
      fc.constantFrom('LR2', 'SEED'),
      fc.uniqueArray(fc.constantFrom('0.1', '-1', '+2', 'no', '010'), { minLength: 1 }),
      {
        minKeys: 1,
      },
    ),
    maxParallel: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: ['run', 'limits'] },
);

/** A workspace file with one job that can be read. */
export interface RandomJob {
  readonly name: string;
  readonly machine: Readonly<Record<string, unknown>>;
  readonly job: Readonly<Record<string, unknown>>;
  readonly leaving: LeavingJob;
}

/** Jobs with each field that a file can have, and texts that mean something to YAML or a shell. */
export const randomJob: fc.Arbitrary<RandomJob> = fc
  .record({ name, machine, job })
  .map((file) => leavingOf(file.name, file.machine, file.job))
  .filter((file) => file !== undefined);

/** Returns a job as it leaves; `undefined` if the file has a problem that keeps it from running. */
export function leavingOf(
  jobName: string,
  ofMachine: Readonly<Record<string, unknown>>,
  ofJob: Readonly<Record<string, unknown>>,
): RandomJob | undefined {
  const source = JSON.stringify({ ...ofMachine, jobs: { [jobName]: ofJob } });
  try {
    const spec = readJob(source, jobName);
    const recipe = recipeForJobs(source);
    const folder = outputsFolder(spec.outputs)?.replace(/^\.\//, '');
    const outputs =
      folder === undefined
        ? undefined
        : { isAbsolute: folder.startsWith('/'), quoted: quoteForShell(folder) };
    return recipe && { name: jobName, machine: ofMachine, job: ofJob, leaving: { spec, recipe, outputs } };
  } catch {
    return undefined;
  }
}
