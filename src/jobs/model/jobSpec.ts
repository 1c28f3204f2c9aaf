import { JsonPlaces } from '../../model/documents/jsonPlaces';
import {
  checkSyntax,
  machineChoices,
  workspaceFilePath,
  type MachineChoice,
} from '../../model/workspace/workspaceFile';
import { defined } from '../../util/defined';
import { UserError } from '../../util/errors';
import { scriptLines } from '../../util/scriptLines';
import { text } from '../../util/text';
import { findJobProblems } from './jobDiagnostics';
import { jobFields, type JobFields } from './jobFields';
import type { Matrix } from './jobMatrix';

export type MachineEnd = 'keep' | 'stop' | 'destroy';

/** What happens to the machine once the outputs are on this computer. */
export interface MachineEnds {
  readonly success: MachineEnd;
  readonly failure: MachineEnd;
  readonly limit: MachineEnd;
  /** For a job that ended because it was idle; absent if that can't happen. */
  readonly idle?: MachineEnd | undefined;
}

export interface SyncRules {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly git: boolean;
  readonly maxMb: number;
  readonly maxFiles: number;
}

/** A job of the file with its defaults applied; contains no secrets. */
export interface JobSpec {
  readonly name: string;
  readonly run: string;
  readonly setup?: string;
  /** Absent: the usual file names, as far as they exist. */
  readonly setupInputs?: readonly string[];
  /** Relative to the workspace folder, with forward slashes; `.` for the folder itself. */
  readonly workdir: string;
  /** Absent: no files are sent. */
  readonly sync?: SyncRules;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly outputs: readonly string[];
  readonly outputsTo?: string;
  readonly machine: MachineChoice;
  /** The machine of the file that it runs on. */
  readonly machineName?: string;
  readonly hours: number;
  readonly costDollars: number;
  readonly setupMinutes: number;
  readonly graceSeconds: number;
  /** Absent: idle time is not checked. */
  readonly idleMinutes?: number;
  /** The job ends once it is idle. */
  readonly endsIfIdle?: true;
  readonly ends: MachineEnds;
  /** The same for a machine that is rented for the job. */
  readonly rentedEnds: MachineEnds;
  readonly keepMinutes: number;
  /** Patterns of files that are fetched during the run, and sent to the machine on which the job continues. */
  readonly checkpoints: readonly string[];
  readonly fetchMinutes: number;
  /** How often the job runs again, by cause: `interrupted`, `machineLost`, or an exit code. */
  readonly retries: Readonly<Record<string, number>>;
  /** Values by variable; each combination is a separate job. */
  readonly matrix?: Matrix;
  /** The most machines that share the matrix. */
  readonly maxParallel: number;
  /** The name in the file, for one combination of a matrix. */
  readonly nameInFile?: string;
}

/** Returns the names of the jobs of a file, in its order. */
export function jobNames(source: string): readonly string[] {
  return new JsonPlaces(source).keys(['jobs']).map(({ name }) => name);
}

/** Reads one job. Throws a sentence that names the job and its first problem. */
export function readJob(source: string, name: string): JobSpec {
  const places = new JsonPlaces(source);
  checkSyntax(places);
  const value = places.value(['jobs', name]);
  if (value === undefined) {
    throw new UserError(text('{0} has no job named {1}.', workspaceFilePath, name));
  }
  const parsed = jobFields.safeParse(value);
  if (!parsed.success) {
    const at = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
    throw new UserError(
      at === ''
        ? text('The job {0} in {1} is not a JSON object.', name, workspaceFilePath)
        : text('"{0}" of the job {1} in {2} has a wrong value.', at, name, workspaceFilePath),
    );
  }
  const problem = findJobProblems(places).find(
    ({ severity, path }) => severity === 'error' && (path.length < 2 || path[1] === name),
  );
  if (problem) {
    throw new UserError(text("The job {0} can't run: {1}", name, problem.message));
  }
  return specOf(name, parsed.data);
}

function specOf(name: string, fields: JobFields): JobSpec {
  const { limits = {}, whenDone = {}, sync } = fields;
  const { idleMinutes } = limits;
  return defined<JobSpec>({
    name,
    run: scriptText(fields.run),
    setup: fields.setup === undefined ? undefined : scriptText(fields.setup),
    setupInputs: fields.setupInputs,
    workdir: tidyFolder(fields.workdir ?? '.'),
    sync:
      sync === false
        ? undefined
        : {
            include: sync?.include ?? [],
            exclude: sync?.exclude ?? [],
            git: sync?.git ?? false,
            maxMb: sync?.maxMb ?? 200,
            maxFiles: sync?.maxFiles ?? 5000,
          },
    env: fields.env ?? {},
    secrets: [...new Set(fields.secrets)],
    outputs: fields.outputs ?? ['outputs/**'],
    outputsTo: fields.outputsTo === undefined ? undefined : tidyFolder(fields.outputsTo),
    ...machineOf(fields.machine),
    hours: limits.hours ?? 0,
    costDollars: limits.costDollars ?? 0,
    setupMinutes: limits.setupMinutes ?? 30,
    graceSeconds: limits.graceSeconds ?? 120,
    idleMinutes: idleMinutes === false ? undefined : idleMinutes,
    endsIfIdle: (whenDone.idle ?? 'tell') === 'tell' ? undefined : true,
    ends: endsOf(whenDone, { success: 'keep', failure: 'keep', limit: 'keep' }),
    rentedEnds: endsOf(whenDone, { success: 'destroy', failure: 'stop', limit: 'stop' }),
    keepMinutes: whenDone.keepMinutes ?? 0,
    checkpoints: fields.checkpoints ?? [],
    fetchMinutes: fields.fetchMinutes ?? 10,
    retries: {
      ...fields.retries?.exitCodes,
      interrupted: fields.retries?.interrupted ?? 0,
      machineLost: fields.retries?.machineLost ?? 0,
    },
    matrix: fields.matrix && stringsOf(fields.matrix),
    maxParallel: fields.maxParallel ?? 1,
  });
}

function endsOf(named: NonNullable<JobFields['whenDone']>, others: MachineEnds): MachineEnds {
  const { idle = 'tell' } = named;
  return {
    success: named.success ?? others.success,
    failure: named.failure ?? others.failure,
    limit: named.limit ?? others.limit,
    ...(idle === 'tell' ? {} : { idle }),
  };
}

function machineOf(named: JobFields['machine'] = 'ask'): Pick<JobSpec, 'machine' | 'machineName'> {
  const choice = machineChoices.find((one) => one === named);
  return choice === undefined ? { machine: 'running', machineName: named } : { machine: choice };
}

function stringsOf(matrix: NonNullable<JobFields['matrix']>): Matrix {
  return Object.fromEntries(
    Object.entries(matrix).map(([name, values]) => [name, [...new Set(values.map(String))]]),
  );
}

/** Joins lines into one script, with line ends of the machine. */
function scriptText(script: string | readonly string[] | undefined): string {
  return scriptLines(typeof script === 'string' ? script : (script ?? []).join('\n'));
}

/** Normalizes a folder: `./a/b/` becomes `a/b`. */
function tidyFolder(folder: string): string {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '.' : parts.join('/');
}

/** Returns what the user confirms when a job runs; a change in it needs a new confirmation. */
export function jobText(spec: JobSpec): string {
  return JSON.stringify(spec);
}
