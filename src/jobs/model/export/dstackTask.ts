import { defined } from '../../../util/defined';
import { UserError } from '../../../util/errors';
import { text } from '../../../util/text';
import {
  firstOfMatrix,
  gpuCountOf,
  gpuNamesOf,
  hourlyLimit,
  leastOf,
  machineEnv,
  minutesOf,
  overMatrix,
  type EngineTask,
  type ExportKind,
  type LeavingJob,
} from './engineJob';
import { engineGpu } from './gpuNames';
import { dstackNames, linesBefore, ownVariables, scriptBlock } from './scripts';
import { gigabytes } from './skypilotTask';

/** Where the files come from, as the file of dstack names it. */
export interface DstackPlace {
  readonly kind: ExportKind;
  /** The folder of the job from the folder of the file, with forward slashes, or a full path. */
  readonly workdir: string;
  /** A Git work tree is cloned; other folders are sent, up to the 2 MB of the server. */
  readonly isRepository: boolean;
}

/** Returns a file of dstack. Throws a sentence that says why the job can't be one. */
export function dstackTask(job: LeavingJob, { kind, workdir, isRepository }: DstackPlace): EngineTask {
  const { spec, recipe } = job;
  const name = dstackName(spec.name);
  const { plain, secrets, tcp } = machineEnv(job);
  const names = [...new Set([...spec.secrets, ...secrets])];
  const folder = `/workspace/${name}`;
  const scripts = [
    ...(spec.setup === undefined ? [] : [scriptBlock({ script: spec.setup, name: 'SETUP' })]),
    ...(kind === 'dev-environment' ? [] : [scriptBlock({ script: spec.run, name: 'RUN' })]),
  ];
  const used = [
    ...(spec.setup === undefined ? [] : [spec.setup]),
    ...(kind === 'dev-environment' ? [] : [spec.run]),
  ];
  const commands =
    scripts.length === 0 ? undefined : [linesBefore(job, used, dstackNames) + scripts.join('')];
  const variables = { ...plain, ...firstOfMatrix(spec), ...spec.env, ...ownVariables(job) };
  checkPlain([...(commands ?? []), ...Object.values(variables), recipe.image ?? '']);
  const [port] = tcp;
  if (kind === 'service' && port === undefined) {
    throw new UserError(
      text('A service needs a TCP port. Add it to "ports" of the file, then export again.'),
    );
  }
  const sent = spec.sync === undefined ? undefined : [`${checkPath(workdir)}:${folder}`];
  const value = defined<Record<string, unknown>>({
    type: kind,
    name,
    image: recipe.image,
    shell: kind === 'dev-environment' ? undefined : 'bash',
    ide: kind === 'dev-environment' ? 'vscode' : undefined,
    working_dir: sent && folder,
    repos: isRepository ? sent : undefined,
    files: isRepository ? undefined : sent,
    env: environment(variables, names),
    init: kind === 'dev-environment' ? commands : undefined,
    commands: kind === 'dev-environment' ? undefined : commands,
    port: kind === 'service' ? port : undefined,
    ports: kind === 'service' || tcp.length === 0 ? undefined : tcp,
    resources: resources(job),
    backends: ['vastai'],
    backend_options: backendOptions(job),
    spot_policy: recipe.maxBid === undefined ? undefined : 'spot',
    max_price: hourlyLimit(job),
    max_duration: `${minutesOf(spec)}m`,
    stop_duration: spec.graceSeconds === 0 ? undefined : `${spec.graceSeconds}s`,
    inactivity_duration:
      kind === 'dev-environment' && recipe.end?.idleMinutes !== undefined
        ? `${Math.ceil(recipe.end.idleMinutes)}m`
        : undefined,
    retry: retry(job),
    utilization_policy:
      spec.endsIfIdle && spec.idleMinutes !== undefined
        ? { min_gpu_utilization: 5, time_window: `${Math.ceil(spec.idleMinutes)}m` }
        : undefined,
  });
  return {
    name,
    value,
    command: (file) =>
      overMatrix(spec, name, (one, given) => {
        const values = given.map((variable) => ` -e ${variable}="$${variable}"`).join('');
        return `dstack apply${given.length === 0 ? '' : ` -d -n ${one}${values}`} -f ${file}`;
      }),
    before: [
      text('Run dstack of July 2026 or later, with the backend vastai in ~/.dstack/server/config.yml.'),
      text(
        'Create a fleet once: write "type: fleet", "name: vastai", "nodes: 0..{0}" and "backends: [vastai]" into fleet.dstack.yml, one a line, and apply it.',
        spec.maxParallel,
      ),
    ],
  };
}

/** Returns a name as dstackai/dstack, src/dstack/_internal/core/services/__init__.py wants it. */
export function dstackName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const long = /^[a-z].+/.test(plain) ? plain : `job-${plain}`;
  return long.slice(0, 36).replace(/-$/, '');
}

function resources({ recipe }: LeavingJob): Readonly<Record<string, unknown>> {
  const { filters, diskGb } = recipe;
  const wanted = gpuNamesOf(recipe);
  const unknown = wanted.find((name) => engineGpu('dstack', name) === undefined);
  if (unknown !== undefined) {
    throw new UserError(text("The GPU name {0} can't be written for dstack.", unknown));
  }
  const names = [...new Set(wanted.map((name) => engineGpu('dstack', name)))];
  const { least, most } = gpuCountOf(recipe);
  return defined({
    cpu: range(leastOf(filters['cpu_cores'])),
    memory: range(gigabytes(leastOf(filters['cpu_ram'])), 'GB'),
    gpu: defined({
      name: names.length === 0 ? undefined : names,
      memory: range(gigabytes(leastOf(filters['gpu_ram'])), 'GB'),
      count: least === most ? least : `${least}..${most ?? ''}`,
    }),
    disk: `${Math.ceil(diskGb ?? 40)}GB..`,
  });
}

function range(least: number | undefined, unit = ''): string | undefined {
  return least === undefined ? undefined : `${Math.ceil(least)}${unit}..`;
}

function backendOptions({ recipe }: LeavingJob): readonly object[] | undefined {
  const least = leastOf(recipe.filters['reliability']);
  return least === undefined || least > 1 ? undefined : [{ type: 'vastai', min_reliability: least }];
}

function retry({ spec }: LeavingJob): Readonly<Record<string, unknown>> | undefined {
  const { interrupted = 0, machineLost = 0, ...codes } = spec.retries;
  const events = [
    ...(machineLost > 0 ? ['no-capacity'] : []),
    ...(interrupted + machineLost > 0 ? ['interruption'] : []),
    ...(Object.values(codes).some((count) => count > 0) ? ['error'] : []),
  ];
  return events.length === 0 ? undefined : { on_events: events, duration: `${Math.ceil(spec.hours)}h` };
}

/**
 * dstack fills in `${{ … }}` and may shorten `$$` before a command runs (dstackai/dstack,
 * src/dstack/_internal/utils/interpolator.py), so such text would mean something else there.
 */
function checkPlain(texts: readonly string[]): void {
  for (const line of texts.flatMap((one) => one.split('\n'))) {
    if (line.includes('${{') || line.includes('$$')) {
      throw new UserError(
        text(
          'dstack replaces "$" before "{{" and "$$" before it runs a command. Write this line without them (for "$$", $BASHPID), then export again: {0}',
          line.trim().slice(0, 100),
        ),
      );
    }
  }
}

function checkPath(path: string): string {
  if (/[:\n\r]/.test(path.replace(/^[A-Za-z]:/, ''))) {
    throw new UserError(text("dstack can't read the folder {0}, because its name has a colon.", path));
  }
  return path;
}

/** A name without a value, which is taken from the shell, needs the form of a list, and that has no line breaks. */
function environment(variables: Readonly<Record<string, string>>, names: readonly string[]): unknown {
  const entries = Object.entries(variables);
  if (names.length === 0) {
    return entries.length === 0 ? undefined : variables;
  }
  const broken = entries.find(([, value]) => /[\r\n]/.test(value));
  if (broken) {
    throw new UserError(
      text("dstack can't read {0}, because its value has several lines and the job has secrets.", broken[0]),
    );
  }
  return [...entries.map(([name, value]) => `${name}=${value}`), ...names];
}
