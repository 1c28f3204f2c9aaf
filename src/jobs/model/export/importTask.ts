import { defined } from '../../../util/defined';
import { UserError } from '../../../util/errors';
import { text, type Text } from '../../../util/text';
import { type JobFields, jobNameOf, mostJobHours } from '../jobFields';
import type { JobEngine } from './engineJob';
import { modelsNamed } from './gpuNames';
import { readBlocks } from './scripts';
import {
  acceleratorsOf,
  asList,
  asMap,
  asNumber,
  asString,
  atLeast,
  gpuCountIn,
  dstackVariables,
  folderInside,
  isMap,
  isName,
  secondsIn,
  portsOf,
  Reader,
  reliabilityOf,
  sentFolder,
  type NamedGpus,
  type Map,
} from './taskReader';
import { readTaskYaml } from './taskYaml';

/** A job made of a file of another engine. It is a stranger's text until the user has agreed to it. */
export interface ImportedJob {
  readonly engine: JobEngine;
  readonly name: string;
  /** Without the limit in dollars, which neither engine has, and perhaps without its hours. */
  readonly job: Readonly<Record<string, unknown>> & { readonly run: string };
  readonly hours?: number | undefined;
  /** The machine as the workspace file describes it; empty if the file says nothing of it. */
  readonly machine: Readonly<Record<string, unknown>>;
  /** The keys of the file that no field of a job stands for. */
  readonly leftOut: readonly string[];
}

/** Returns a job for a simple task of SkyPilot or dstack. Throws a sentence that says why it can't be one. */
export function importTask(
  source: string,
  { fileFolder, fileName }: { readonly fileFolder: string; readonly fileName: string },
): ImportedJob {
  const value = readTaskYaml(source);
  if (!isMap(value)) {
    throw new UserError(text('The file is no task of SkyPilot or dstack.'));
  }
  const named = jobNameOf(
    asString(value['name']) ?? fileName.replace(/(?:\.sky|\.dstack)?\.ya?ml$/, ''),
    'task',
  );
  return 'type' in value ? fromDstack(value, named, fileFolder) : fromSkypilot(value, named);
}

function fromSkypilot(value: Map, name: string): ImportedJob {
  const reader = new Reader(value);
  const unable = ['service', 'pool', 'any_of'].find((key) => value[key] !== undefined);
  const nodes = reader.take('num_nodes', asNumber) ?? 1;
  if (unable !== undefined || nodes !== 1) {
    throw new UserError(noSimpleTask(unable ?? 'num_nodes'));
  }
  reader.take('name', asString);
  const run = reader.take('run', asString);
  const setup = reader.take('setup', asString);
  const workdir = reader.take('workdir', folderInside);
  const envs = reader.take('envs', asMap) ?? {};
  const secrets = reader.take('secrets', asMap) ?? {};
  const machine = reader.within('resources', skypilotMachine) ?? {};
  const isDatacenter = reader.within('config', (config) =>
    config.within('vast', (vast) => vast.take('datacenter_only', isTrue)),
  );
  const variables = environment(Object.entries(envs), 'envs', reader);
  return jobOf({
    engine: 'skypilot',
    name,
    run: blocksOf(run, 'RUN'),
    setup: blocksOf(setup, 'SETUP'),
    workdir,
    env: variables.env,
    secrets: [...variables.names, ...Object.keys(secrets).filter(isName)],
    machine: isDatacenter ? withFilter(machine, 'datacenter', { eq: true }) : machine,
    reader,
  });
}

function skypilotMachine(resources: Reader): Map {
  for (const key of ['infra', 'cloud']) {
    resources.take(key, (cloud) => (/^vast$/i.test(String(cloud)) ? cloud : undefined));
  }
  // What the export sets for its own limit.
  resources.take('autostop', (value) => (isMap(value) && value['wait_for'] === 'none' ? value : undefined));
  const image = resources.take('image_id', (id) => /^docker:(.+)$/.exec(asString(id) ?? '')?.[1]);
  const gpus = resources.take('accelerators', acceleratorsOf);
  const cpus = resources.take('cpus', atLeast);
  const memory = resources.take('memory', atLeast);
  const price = resources.take('max_hourly_cost', asNumber);
  return defined({
    image,
    filters: filtersOf('skypilot', gpus, { cpu_cores: cpus, cpu_ram: megabytes(memory) }),
    diskGb: resources.take('disk_size', asNumber),
    maxPricePerHour: price,
    interruptible: bidOf(resources.take('use_spot', isTrue), price),
    ports: portsOf(resources.take('ports', asList)),
  });
}

function fromDstack(value: Map, name: string, fileFolder: string): ImportedJob {
  const reader = new Reader(value);
  const type = reader.take('type', asString);
  const nodes = reader.take('nodes', asNumber) ?? 1;
  const isTask = type === 'task' || type === 'service';
  if (!isTask || nodes !== 1 || value['groups'] !== undefined) {
    throw new UserError(noSimpleTask(isTask ? (nodes === 1 ? 'groups' : 'nodes') : `type: ${String(type)}`));
  }
  reader.take('name', asString);
  reader.take('shell', (shell) => (shell === 'bash' ? shell : undefined));
  reader.take('backends', (backends) => (String(backends) === 'vastai' ? backends : undefined));
  const image = reader.take('image', asString);
  const script = reader.take('commands', asList)?.map(String).join('\n');
  const mapped = ['files', 'repos'].map((key) => reader.take(key, (files) => sentFolder(files, fileFolder)));
  const workdir = mapped.find((one) => one !== undefined);
  reader.take('working_dir', (folder) => (workdir?.remote === folder ? folder : undefined));
  const variables = environment(reader.take('env', dstackVariables) ?? [], 'env', reader);
  const resources = reader.within('resources', dstackResources);
  const reliability = reader.take('backend_options', reliabilityOf);
  const ports = [...(reader.take('ports', asList) ?? []), ...(reader.take('port', asList) ?? [])];
  const price = reader.take('max_price', asNumber);
  const machine = defined<Record<string, unknown>>({
    image,
    ...resources,
    maxPricePerHour: price,
    interruptible: bidOf(
      reader.take('spot_policy', (policy) => (policy === 'spot' ? true : undefined)),
      price,
    ),
    ports: portsOf(ports),
  });
  const [setup, run] = [blocksOf(script, 'SETUP'), blocksOf(script, 'RUN')];
  const seconds = reader.take('max_duration', secondsIn);
  return jobOf({
    engine: 'dstack',
    name,
    run,
    setup: setup === run ? undefined : setup,
    workdir: workdir?.folder,
    env: variables.env,
    secrets: variables.names,
    hours: seconds && seconds / 3600,
    graceSeconds: reader.take('stop_duration', secondsIn) ?? 120,
    machine: reliability === undefined ? machine : withFilter(machine, 'reliability', { gte: reliability }),
    reader,
  });
}

interface Found {
  readonly engine: JobEngine;
  readonly name: string;
  readonly run: Script | undefined;
  readonly setup: Script | undefined;
  readonly workdir: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly hours?: number | undefined;
  readonly graceSeconds?: number;
  readonly machine: Map;
  readonly reader: Reader;
}

function jobOf({
  engine,
  name,
  run,
  setup,
  workdir,
  secrets,
  machine,
  reader,
  ...found
}: Found): ImportedJob {
  if (run === undefined) {
    throw new UserError(text('The file has no command to run.'));
  }
  const env = Object.fromEntries(Object.entries(found.env).filter(([key]) => !key.startsWith('GPU_RENTAL_')));
  const graceSeconds = run.graceSeconds ?? found.graceSeconds;
  const setupMinutes = setup?.seconds === undefined ? undefined : setup.seconds / 60;
  const limits = defined({
    setupMinutes: setupMinutes === 30 ? undefined : setupMinutes,
    graceSeconds: graceSeconds === 120 || (graceSeconds ?? 0) > 600 ? undefined : graceSeconds,
  });
  const { filters } = machine;
  const hours = run.seconds === undefined ? found.hours : run.seconds / 3600;
  return {
    engine,
    name,
    job: defined({
      run: run.script,
      setup: setup?.script,
      workdir: workdir === '.' ? undefined : workdir,
      sync: workdir === undefined ? false : undefined,
      env: Object.keys(env).length === 0 ? undefined : env,
      secrets: secrets.length === 0 ? undefined : [...new Set(secrets)],
      machine: 'new',
      limits,
    }),
    hours: hours && Math.min(hours, mostJobHours),
    machine: {
      ...machine,
      filters: isMap(filters) && Object.keys(filters).length > 0 ? filters : undefined,
    },
    leftOut: reader.rest(),
  };
}

interface Script {
  readonly script: string;
  readonly seconds?: number;
  readonly graceSeconds?: number;
}

/** Returns a script of the file: that of our export as it was, any other as a whole. */
function blocksOf(source: string | undefined, name: 'RUN' | 'SETUP'): Script | undefined {
  const blocks = source === undefined ? undefined : readBlocks(source);
  return blocks
    ? blocks.find((block) => block.name === name)
    : source === undefined
      ? undefined
      : { script: source };
}

function noSimpleTask(what: string): Text {
  return text('Only a simple task can become a job, and this file has “{0}”.', what);
}

function environment(entries: readonly (readonly [string, unknown])[], at: string, reader: Reader) {
  const env: Record<string, string> = {};
  const names: string[] = [];
  for (const [name, value] of entries) {
    // dstack alone fills in values.
    const secret = at === 'env' && typeof value === 'string' && /^\$\{\{ *secrets\.\w+ *\}\}$/.test(value);
    const written =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? String(value)
        : undefined;
    if (!isName(name)) {
      reader.leave(`${at}.${name}`);
    } else if (value === null || value === undefined || secret) {
      names.push(name);
    } else if (written === undefined || (at === 'env' && written.includes('${{'))) {
      reader.leave(`${at}.${name}`);
    } else {
      env[name] = written;
    }
  }
  return { env, names };
}

function dstackResources(resources: Reader): Map {
  const gpu = resources.within('gpu', (inner) => ({
    names: inner.take('name', asList)?.map(String) ?? [],
    count: inner.take('count', gpuCountIn),
    memory: inner.take('memory', atLeast),
  }));
  return {
    filters: filtersOf('dstack', gpu, {
      gpu_ram: megabytes(gpu?.memory),
      cpu_cores: resources.take('cpu', atLeast),
      cpu_ram: megabytes(resources.take('memory', atLeast)),
    }),
    diskGb: resources.take('disk', atLeast),
  };
}

function filtersOf(
  engine: JobEngine,
  gpus: NamedGpus | undefined,
  least: Readonly<Record<string, number | undefined>>,
) {
  const models = gpus ? [...new Set(gpus.names.flatMap((name) => modelsNamed(engine, name)))] : [];
  return {
    ...(models.length === 0 ? {} : { gpu_name: { in: models } }),
    ...(gpus?.count === undefined ? {} : { num_gpus: gpus.count }),
    ...Object.fromEntries(
      Object.entries(least).flatMap(([name, value]) => (value === undefined ? [] : [[name, { gte: value }]])),
    ),
  };
}

function megabytes(gigabytes: number | undefined): number | undefined {
  return gigabytes === undefined ? undefined : gigabytes * 1000;
}

/** A bid has a limit of its own here, which is the price of the file. */
function bidOf(isSpot: true | undefined, maxBid: number | undefined): Map | undefined {
  return isSpot && maxBid !== undefined ? { maxBid } : undefined;
}

function isTrue(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

function withFilter(machine: Map, name: string, filter: Map): Map {
  const { filters } = machine;
  return { ...machine, filters: { ...(isMap(filters) ? filters : {}), [name]: filter } };
}

/** Returns a job with the limits that the user gave, as the workspace file has it. */
export function jobWithLimits(
  { job }: Pick<ImportedJob, 'job'>,
  limits: { readonly hours: number; readonly costDollars: number },
): JobFields {
  const own = job['limits'];
  return { ...job, limits: { ...limits, ...(isMap(own) ? own : {}) } };
}
