import type { OpenRecipe } from '../../../model/workspace/workspaceFile';
import type { Text } from '../../../util/text';
import type { JobSpec } from '../jobSpec';

/** An engine that rents on this market itself. */
export type JobEngine = 'skypilot' | 'dstack';

/** A job as it leaves: with the machine of its file, and what only this computer knows of it. */
export interface LeavingJob {
  readonly spec: JobSpec;
  /** With an image in place of a template. */
  readonly recipe: OpenRecipe;
  /** The folder of the outputs, which is made for the job; none without outputs. */
  readonly outputs?: { readonly isAbsolute: boolean; readonly quoted: string } | undefined;
}

/** What a kind of file is for; only dstack has the last two. */
export type ExportKind = 'task' | 'dev-environment' | 'service';

export interface EngineTask {
  readonly name: string;
  /** The value of the YAML document. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The command that starts it from the folder of the workspace, for a POSIX shell. */
  readonly command: (file: string) => string;
  /** What to know before the first run. */
  readonly before: readonly Text[];
}

export interface GpuCount {
  readonly least: number;
  readonly most?: number;
}

type Filter = Readonly<Record<string, unknown>>;

/** Returns the lowest value that a filter allows, if it names one. */
export function leastOf(filter: Filter | undefined): number | undefined {
  const value = Number(filter?.['eq'] ?? filter?.['gte'] ?? filter?.['gt']);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Returns how many GPUs the machine has; one if the file does not say. */
export function gpuCountOf({ filters }: LeavingJob['recipe']): GpuCount {
  const filter = filters['num_gpus'] ?? { eq: 1 };
  const most = Math.floor(Number(filter['eq'] ?? filter['lte']));
  const least = Math.ceil(leastOf(filter) ?? 1);
  return most >= least ? { least, most } : { least };
}

/** Returns the names of GPUs that the file accepts, as the market spells them. */
export function gpuNamesOf({ filters }: LeavingJob['recipe']): readonly string[] {
  const filter = filters['gpu_name'] ?? {};
  const wanted: readonly unknown[] = [filter['eq'] ?? filter['in']].flat();
  return wanted.filter((name) => typeof name === 'string');
}

/** The variables of the machine, sorted by what becomes of them. */
export function machineEnv({ spec, recipe }: LeavingJob) {
  const entries = Object.entries(recipe.env).filter(([name]) => !spec.secrets.includes(name));
  const isVariable = ([name]: readonly [string, string]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
  const isSecret = ([, value]: readonly [string, string]) => value.includes('${secret:');
  const variables = entries.filter(isVariable);
  const ports = entries.flatMap(([key]) => portOf(key) ?? []);
  return {
    plain: Object.fromEntries(variables.filter((entry) => !isSecret(entry))),
    secrets: variables.filter(isSecret).map(([name]) => name),
    tcp: [...new Set(ports.filter(({ isUdp }) => !isUdp).map(({ port }) => port))],
    udp: ports.filter(({ isUdp }) => isUdp).map(({ port }) => port),
    /** Options of Docker, which both engines lack. */
    others: entries.filter((entry) => !isVariable(entry) && !portOf(entry[0])).map(([key]) => key),
  };
}

function portOf(key: string) {
  const [, port, protocol] = /^-p (?:\d{1,5}:)?(\d{1,5})(?:\/(tcp|udp))?$/.exec(key) ?? [];
  return port === undefined || Number(port) < 1 || Number(port) > 65_535
    ? undefined
    : { port: Number(port), isUdp: protocol === 'udp' };
}

/** Returns the minutes that the job and its set-up may take. */
export function minutesOf({ hours, setupMinutes, setup }: JobSpec): number {
  return Math.ceil(hours * 60 + (setup === undefined ? 0 : setupMinutes));
}

/**
 * Returns the dollars an hour that keep a job within its dollars if it takes all of its time: neither engine has a limit
 * in total. Rounded down to hundredths of a cent, and never 0.
 */
export function hourlyLimit({ spec, recipe }: LeavingJob): number {
  const share = spec.costDollars / jobsOf(spec) / (minutesOf(spec) / 60);
  const limit = Math.min(share, recipe.maxPricePerHour ?? share);
  return Math.max(Math.floor(limit * 10_000 + 1e-6) / 10_000, 0.0001);
}

function jobsOf({ matrix = {} }: JobSpec): number {
  return Object.values(matrix).reduce((count, values) => count * values.length, 1);
}

/** Returns the first value of each variable of the matrix, so that the file alone is one of its jobs. */
export function firstOfMatrix({ matrix = {} }: JobSpec): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(matrix).map(([name, values]) => [name, values[0] ?? '']));
}

/**
 * Returns a loop over a matrix as one line. Its names and values have shapes that mean nothing to a shell
 * (`matrixValueShape`); without a matrix it is the command itself.
 */
export function overMatrix(
  { matrix }: JobSpec,
  name: string,
  command: (name: string, variables: readonly string[]) => string,
): string {
  const loops = Object.entries(matrix ?? {});
  if (loops.length === 0) {
    return command(name, []);
  }
  const body = command(
    `${name}-$i`,
    loops.map(([variable]) => variable),
  );
  const open = loops.map(([variable, values]) => `for ${variable} in ${values.join(' ')}; do`).join(' ');
  return `i=0; ${open} i=$((i+1)); ${body}${'; done'.repeat(loops.length)}`;
}
