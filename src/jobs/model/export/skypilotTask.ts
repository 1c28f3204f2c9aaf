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
  type LeavingJob,
} from './engineJob';
import { engineGpu } from './gpuNames';
import {
  linesBefore,
  ownVariables,
  scriptBlock,
  secondsOf,
  skypilotNames,
  skypilotSetupNames,
} from './scripts';

/** Returns a task of SkyPilot. Throws a sentence that says why the job can't be one. */
export function skypilotTask(job: LeavingJob): EngineTask {
  const { spec, recipe } = job;
  const name = skypilotName(spec.name);
  const { plain, secrets, tcp } = machineEnv(job);
  const names = [...new Set([...spec.secrets, ...secrets])];
  const isManaged = isManagedJob(job);
  const value = defined<Record<string, unknown>>({
    name,
    workdir: spec.sync === undefined ? undefined : spec.workdir,
    resources: defined({
      infra: 'vast',
      accelerators: accelerators(job),
      cpus: atLeast(leastOf(recipe.filters['cpu_cores'])),
      memory: atLeast(gigabytes(leastOf(recipe.filters['cpu_ram']))),
      disk_size: Math.ceil(recipe.diskGb ?? 40),
      image_id: `docker:${recipe.image ?? ''}`,
      use_spot: recipe.maxBid === undefined ? undefined : true,
      max_hourly_cost: hourlyLimit(job),
      ports: tcp.length === 0 ? undefined : tcp,
      autostop: isManaged ? undefined : { idle_minutes: minutesOf(spec), down: true, wait_for: 'none' },
      job_recovery: isManaged ? recovery(job) : undefined,
    }),
    config: recipe.filters['datacenter']?.['eq'] === true ? { vast: { datacenter_only: true } } : undefined,
    envs: notEmpty({ ...plain, ...firstOfMatrix(spec), ...spec.env, ...ownVariables(job) }),
    secrets: notEmpty(Object.fromEntries(names.map((secret) => [secret, null]))),
    setup:
      spec.setup === undefined
        ? undefined
        : linesBefore(job, [spec.setup], skypilotSetupNames) +
          scriptBlock({ script: spec.setup, name: 'SETUP', seconds: spec.setupMinutes * 60 }),
    run:
      linesBefore(job, [spec.run], skypilotNames) +
      scriptBlock({
        script: spec.run,
        name: 'RUN',
        seconds: secondsOf(spec),
        graceSeconds: spec.graceSeconds,
      }),
  });
  const secretOptions = names.map((secret) => ` --secret ${secret}`).join('');
  return {
    name,
    value,
    command: (file) =>
      isManaged
        ? overMatrix(spec, name, (one, variables) => {
            const given = variables.map((variable) => ` --env ${variable}="$${variable}"`).join('');
            return `sky jobs launch -d -n ${one}${given}${secretOptions} ${file}`;
          })
        : `sky launch -c ${name}${secretOptions} ${file}`,
    before: [
      ...(isManaged
        ? [
            text(
              'SkyPilot runs this as a managed job, which first rents a machine as its controller. It stops after 10 idle minutes.',
            ),
          ]
        : []),
      text('SkyPilot writes your API key to the machine, which is of a stranger. Give it a restricted key.'),
    ],
  };
}

/** Jobs that run again or have a matrix are managed by a controller; all others are a cluster of their own. */
export function isManagedJob({ spec }: LeavingJob): boolean {
  return spec.matrix !== undefined || Object.values(spec.retries).some((count) => count > 0);
}

/** Returns a name as skypilot-org/skypilot, sky/skylet/constants.py wants it. */
export function skypilotName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/[^A-Za-z0-9]+$/, '');
  return (/^[A-Za-z]/.test(plain) ? plain : `job-${plain}`).slice(0, 60).replace(/[^A-Za-z0-9]+$/, '');
}

function accelerators({ recipe }: LeavingJob): string | readonly string[] {
  const wanted = gpuNamesOf(recipe);
  const spelled = [...new Set(wanted.map((name) => engineGpu('skypilot', name)))];
  const unknown = wanted.find((name) => engineGpu('skypilot', name) === undefined);
  if (unknown !== undefined) {
    throw new UserError(text("The GPU name {0} can't be written for SkyPilot.", unknown));
  }
  const { least } = gpuCountOf(recipe);
  const all = spelled.map((name) => `${name ?? ''}:${least}`);
  const [first] = all;
  if (first === undefined) {
    throw new UserError(
      text(
        'SkyPilot rents a GPU by its name only. Add "gpu_name" to "filters" of the file, then export again.',
      ),
    );
  }
  return all.length === 1 ? first : all;
}

function recovery({ spec }: LeavingJob): Readonly<Record<string, unknown>> | undefined {
  const { interrupted = 0, machineLost = 0, ...codes } = spec.retries;
  const most = Math.max(0, ...Object.values(codes));
  return interrupted + machineLost + most === 0
    ? undefined
    : defined({ strategy: 'EAGER_NEXT_REGION', max_restarts_on_errors: most === 0 ? undefined : most });
}

function atLeast(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${Math.ceil(count)}+`;
}

/** Returns the memory that a filter in MB asks for, in whole GB. */
export function gigabytes(megabytes: number | undefined): number | undefined {
  return megabytes === undefined ? undefined : Math.max(1, Math.floor(megabytes / 1000));
}

function notEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
