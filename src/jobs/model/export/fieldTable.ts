import { text, type Text } from '../../../util/text';
import {
  gpuCountOf,
  gpuNamesOf,
  hourlyLimit,
  leastOf,
  machineEnv,
  type JobEngine,
  type LeavingJob,
} from './engineJob';
import { sameNamed } from './gpuNames';
import { isManagedJob } from './skypilotTask';

/** What becomes of a field in the file of an engine. */
export interface Mapping {
  /** The fields of the engine; none if it has no such field. */
  readonly to?: string;
  /** What is lost or different. It stands in the comment of each file that it is true for. */
  readonly lost?: Text;
  /** Only such jobs lose it; by default each that has the field. */
  readonly losing?: (job: LeavingJob) => boolean;
}

/** A field of the workspace file, and what each engine makes of it. */
export interface FieldRow {
  /** Its place: below a job, or in the description of a machine. */
  readonly of: 'job' | 'machine';
  readonly field: string;
  /** Returns the names under which a job has the field; none if it does not say more than the default. */
  readonly said: (job: LeavingJob) => readonly string[];
  readonly engines: Readonly<Record<JobEngine, Mapping>>;
}

const noField = text('The tool has no such field.');
const destroyed = text('The machine is destroyed.');
const notFetched = text(
  'Nothing is fetched. Copy the files before the machine is destroyed, or upload them in "run".',
);
const onlyForRun = text('Set for the job only, not for the container.');
const onlyNames = text('Only the names. The values come from your shell.');
const noMore = text('The number of attempts is not limited in this way.');

/** Filters that have a row of their own. */
const mappedFilters = [
  'gpu_name',
  'num_gpus',
  'gpu_ram',
  'cpu_ram',
  'cpu_cores',
  'reliability',
  'datacenter',
  'geolocation',
];

const both = (mapping: Mapping): FieldRow['engines'] => ({ skypilot: mapping, dstack: mapping });

const job = (
  field: string,
  isSaid: (spec: LeavingJob['spec'], all: LeavingJob) => boolean,
  engines: FieldRow['engines'],
): FieldRow => ({ of: 'job', field, said: (all) => (isSaid(all.spec, all) ? [field] : []), engines });

const machine = (
  field: string,
  isSaid: (recipe: LeavingJob['recipe'], all: LeavingJob) => boolean,
  engines: FieldRow['engines'],
): FieldRow => ({
  of: 'machine',
  field,
  said: (all) => (isSaid(all.recipe, all) ? [field] : []),
  engines,
});

const filter = (name: string, engines: FieldRow['engines']) =>
  machine(`filters.${name}`, ({ filters }) => filters[name] !== undefined, engines);

/** Loses every operator but those that set a lower bound. */
const onlyLeast =
  (name: string) =>
  ({ recipe }: LeavingJob): boolean =>
    !isExactly(recipe.filters[name], ['gte']) || !isWholeGb(name, leastOf(recipe.filters[name]));

function isWholeGb(name: string, least: number | undefined): boolean {
  return least !== undefined && least % (name.endsWith('_ram') ? 1000 : 1) === 0;
}

function isExactly(
  found: Readonly<Record<string, unknown>> | undefined,
  operators: readonly string[],
): boolean {
  return Object.keys(found ?? {}).every((operator) => operators.includes(operator));
}

const least = text('Only a lower bound, in whole GB or cores.');
const otherGpus = text('The tool has one name for several models, so another one may come.');

/** Whether the engine means one model by each of the names, and nothing is left out of the filter. */
const isAmbiguous =
  (engine: JobEngine) =>
  ({ recipe }: LeavingJob): boolean =>
    !isExactly(recipe.filters['gpu_name'], ['eq', 'in']) ||
    gpuNamesOf(recipe).some((name) => sameNamed(engine, name).join() !== name);

/** Each field of a job and of its machine (docs/job-export.md#fields is generated from it). */
export const fieldTable: readonly FieldRow[] = [
  job('run', () => true, {
    skypilot: { to: 'run' },
    dstack: { to: 'commands' },
  }),
  job('setup', ({ setup }) => setup !== undefined, {
    skypilot: {
      to: 'setup',
      lost: text('It runs each time: the tool does not know that it has finished.'),
    },
    dstack: {
      to: 'commands, init',
      lost: text('It runs each time: the tool does not know that it has finished.'),
    },
  }),
  job('setupInputs', ({ setupInputs }) => setupInputs !== undefined, both({ lost: noField })),
  job('workdir', ({ workdir, sync }) => workdir !== '.' && sync !== undefined, {
    skypilot: { to: 'workdir' },
    dstack: { to: 'files, repos, working_dir' },
  }),
  job('sync', ({ sync }) => JSON.stringify(sync) !== usualSync, {
    skypilot: {
      to: 'workdir',
      lost: text('Files are left out by .skyignore or .gitignore. Secret files are not held back.'),
      losing: ({ spec }) => spec.sync !== undefined,
    },
    dstack: {
      to: 'files, repos',
      lost: text(
        'Files are left out by .gitignore and .dstackignore. Secret files are not held back, and the server takes 2 MB.',
      ),
      losing: ({ spec }) => spec.sync !== undefined,
    },
  }),
  job('env', ({ env }) => Object.keys(env).length > 0, {
    skypilot: { to: 'envs' },
    dstack: { to: 'env' },
  }),
  job('secrets', ({ secrets }) => secrets.length > 0, {
    skypilot: { to: 'secrets', lost: onlyNames },
    dstack: { to: 'env', lost: onlyNames },
  }),
  job('outputs', ({ outputs }) => outputs.length > 0, both({ lost: notFetched })),
  job('checkpoints', ({ checkpoints }) => checkpoints.length > 0, both({ lost: notFetched })),
  job('fetchMinutes', ({ fetchMinutes }) => fetchMinutes !== 10, both({ lost: notFetched })),
  job('outputsTo', ({ outputsTo }) => outputsTo !== undefined, both({ lost: notFetched })),
  job('machine', ({ machine: choice, machineName }) => choice !== 'new' && machineName === undefined, {
    skypilot: { lost: text('A machine is rented, unless a cluster of this name runs.') },
    dstack: { lost: text('A machine is rented for each run.') },
  }),
  job('limits.hours', () => true, {
    skypilot: {
      to: 'run (timeout), resources.autostop',
      lost: text('Counts again for each attempt.'),
      losing: isManagedJob,
    },
    dstack: {
      to: 'max_duration',
      lost: text('The set-up counts toward it.'),
      losing: ({ spec }) => spec.setup !== undefined,
    },
  }),
  job('limits.costDollars', () => true, {
    skypilot: {
      to: 'resources.max_hourly_cost',
      lost: text(
        'There is no limit in total. The price per hour is limited to the dollars divided by all hours, without traffic, and SkyPilot does not enforce it on this market.',
      ),
    },
    dstack: {
      to: 'max_price',
      lost: text(
        'There is no limit in total. The price per hour is limited to the dollars divided by all hours, without traffic and retries.',
      ),
    },
  }),
  job('limits.setupMinutes', ({ setup, setupMinutes }) => setup !== undefined && setupMinutes !== 30, {
    skypilot: { to: 'setup (timeout)' },
    dstack: {
      to: 'max_duration',
      lost: text('The set-up counts toward max_duration and has no limit of its own.'),
    },
  }),
  job('limits.graceSeconds', ({ graceSeconds }) => graceSeconds !== 120, {
    skypilot: { to: 'run (timeout -k)' },
    dstack: { to: 'stop_duration', lost: noField, losing: ({ spec }) => spec.graceSeconds === 0 },
  }),
  job('limits.idleMinutes', ({ idleMinutes }) => idleMinutes !== undefined, {
    skypilot: { lost: text('The tool does not look at the GPU.') },
    dstack: {
      to: 'utilization_policy',
      lost: text('Only the GPU counts, not the log, and one idle GPU is enough.'),
    },
  }),
  job('whenDone.success', ({ rentedEnds }) => rentedEnds.success !== 'destroy', both({ lost: destroyed })),
  job('whenDone.failure', ({ rentedEnds }) => rentedEnds.failure !== 'destroy', both({ lost: destroyed })),
  job('whenDone.limit', ({ rentedEnds }) => rentedEnds.limit !== 'destroy', both({ lost: destroyed })),
  job(
    'whenDone.idle',
    ({ rentedEnds: { idle } }) => idle !== undefined && idle !== 'destroy',
    both({ lost: destroyed }),
  ),
  job('whenDone.keepMinutes', ({ keepMinutes }) => keepMinutes !== 0, both({ lost: destroyed })),
  job('retries.interrupted', ({ retries }) => (retries['interrupted'] ?? 0) > 0, {
    skypilot: { to: 'resources.job_recovery', lost: noMore },
    dstack: { to: 'retry', lost: noMore },
  }),
  job('retries.machineLost', ({ retries }) => (retries['machineLost'] ?? 0) > 0, {
    skypilot: { to: 'resources.job_recovery', lost: noMore },
    dstack: { to: 'retry', lost: noMore },
  }),
  job(
    'retries.exitCodes',
    ({ retries }) => Object.entries(retries).some(([name, count]) => /^\d/.test(name) && count > 0),
    {
      skypilot: {
        to: 'resources.job_recovery',
        lost: text('The highest of the numbers counts for every exit code.'),
      },
      dstack: { to: 'retry', lost: text('It runs again after every exit code, for the hours of the job.') },
    },
  ),
  job('matrix', ({ matrix }) => matrix !== undefined, {
    skypilot: {
      to: 'envs',
      lost: text('The file has the first values. The command above starts all of them.'),
    },
    dstack: { to: 'env', lost: text('The file has the first values. The command above starts all of them.') },
  }),
  job('maxParallel', ({ maxParallel }) => maxParallel !== 1, {
    skypilot: { lost: text('The controller decides how many run at a time.') },
    dstack: { lost: text('The nodes of the fleet decide how many run at a time.') },
  }),
  machine('image', ({ template }) => template === undefined, {
    skypilot: { to: 'resources.image_id' },
    dstack: { to: 'image' },
  }),
  machine(
    'template',
    ({ template }) => template !== undefined,
    both({
      to: 'image',
      lost: text('Only the image of the template, not its start script, ports and variables.'),
    }),
  ),
  machine(
    'onStart',
    ({ onStart }) => onStart !== undefined,
    both({
      lost: text('Left out: it belongs to the container. Add to "setup" what the job needs of it.'),
    }),
  ),
  filter('gpu_name', {
    skypilot: { to: 'resources.accelerators', lost: otherGpus, losing: isAmbiguous('skypilot') },
    dstack: { to: 'resources.gpu', lost: otherGpus, losing: isAmbiguous('dstack') },
  }),
  filter('num_gpus', {
    skypilot: {
      to: 'resources.accelerators',
      lost: text('Exactly the lowest number.'),
      losing: ({ recipe }) => gpuCountOf(recipe).least !== gpuCountOf(recipe).most,
    },
    dstack: {
      to: 'resources.gpu',
      lost: text('Only bounds.'),
      losing: ({ recipe }) => !isExactly(recipe.filters['num_gpus'], ['eq', 'gte', 'lte']),
    },
  }),
  filter('gpu_ram', {
    skypilot: { lost: noField },
    dstack: { to: 'resources.gpu', lost: least, losing: onlyLeast('gpu_ram') },
  }),
  filter('cpu_ram', {
    skypilot: { to: 'resources.memory', lost: least, losing: onlyLeast('cpu_ram') },
    dstack: { to: 'resources.memory', lost: least, losing: onlyLeast('cpu_ram') },
  }),
  filter('cpu_cores', {
    skypilot: { to: 'resources.cpus', lost: least, losing: onlyLeast('cpu_cores') },
    dstack: { to: 'resources.cpu', lost: least, losing: onlyLeast('cpu_cores') },
  }),
  filter('reliability', {
    skypilot: { lost: noField },
    dstack: {
      to: 'backend_options',
      lost: text('Only a lower bound.'),
      losing: ({ recipe }) => !isExactly(recipe.filters['reliability'], ['gte']),
    },
  }),
  filter('datacenter', {
    skypilot: {
      to: 'config.vast.datacenter_only',
      lost: noField,
      losing: ({ recipe }) => recipe.filters['datacenter']?.['eq'] !== true,
    },
    dstack: { lost: text('Set "community_cloud: false" on the server instead.') },
  }),
  filter('geolocation', {
    skypilot: { lost: text('The tool knows continents only.') },
    dstack: { lost: text('The tool knows places, not whole countries.') },
  }),
  {
    of: 'machine',
    field: 'filters.…',
    said: ({ recipe }) =>
      Object.keys(recipe.filters)
        .filter((name) => !mappedFilters.includes(name))
        .map((name) => `filters.${name}`),
    engines: both({ lost: noField }),
  },
  machine('diskGb', ({ diskGb }) => diskGb !== undefined, {
    skypilot: { to: 'resources.disk_size' },
    dstack: { to: 'resources.disk' },
  }),
  machine('env', (_, all) => Object.keys(machineEnv(all).plain).length + machineEnv(all).secrets.length > 0, {
    skypilot: { to: 'envs, secrets', lost: onlyForRun },
    dstack: { to: 'env', lost: onlyForRun },
  }),
  {
    of: 'machine',
    field: 'env (options)',
    said: (all) => (machineEnv(all).others.length > 0 ? ['env'] : []),
    engines: both({ lost: text('Options of Docker are left out.') }),
  },
  machine('ports', (_, all) => machineEnv(all).tcp.length + machineEnv(all).udp.length > 0, {
    skypilot: { to: 'resources.ports', lost: text('TCP only, and the port outside is not chosen.') },
    dstack: { to: 'ports, port', lost: text('TCP only, forwarded to your computer.') },
  }),
  machine('maxPricePerHour', ({ maxPricePerHour }) => maxPricePerHour !== undefined, {
    skypilot: { to: 'resources.max_hourly_cost', lost: text('SkyPilot does not enforce it on this market.') },
    dstack: {
      to: 'max_price',
      lost: text('Lower, if the dollars divided by all hours are less.'),
      losing: (all) => hourlyLimit(all) !== all.recipe.maxPricePerHour,
    },
  }),
  machine('end', ({ end }) => end !== undefined, both({ lost: destroyed })),
  machine('runType', ({ runtype }) => runtype !== undefined, both({ lost: noField })),
  machine('interruptible', ({ maxBid }) => maxBid !== undefined, {
    skypilot: { to: 'resources.use_spot', lost: text('It bids the lowest price, so it is outbid soon.') },
    dstack: { to: 'spot_policy', lost: text('It bids the lowest price, so it is outbid soon.') },
  }),
  machine(
    'volumes',
    ({ volumes }) => volumes !== undefined,
    both({ lost: text('Neither tool has volumes on this market.') }),
  ),
  machine(
    'data',
    ({ data }) => data !== undefined,
    both({ lost: text('Not fetched. Download it in "setup".') }),
  ),
  machine('folder', ({ folder }) => folder !== undefined, both({ lost: noField })),
  machine('whenRunning', ({ whenRunning }) => whenRunning !== 'ask', both({ lost: noField })),
];

const usualSync = JSON.stringify({ include: [], exclude: [], git: false, maxMb: 200, maxFiles: 5000 });

/** Returns what a job loses in an engine, with the names of the fields; equal reasons once. */
export function lossesOf(
  engine: JobEngine,
  leaving: LeavingJob,
): readonly { readonly fields: readonly string[]; readonly lost: Text }[] {
  const found: { fields: string[]; lost: Text }[] = [];
  for (const { said, engines } of fieldTable) {
    const { lost, losing = () => true } = engines[engine];
    const fields = said(leaving);
    if (lost && fields.length > 0 && losing(leaving)) {
      const same = found.find((one) => one.lost.template === lost.template);
      if (same) {
        same.fields.push(...fields);
      } else {
        found.push({ fields: [...fields], lost });
      }
    }
  }
  return found;
}
