import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { DraftJob } from '../../jobs/model/draftJob';
import { jobText, readJob, type JobSpec } from '../../jobs/model/jobSpec';
import { recipeForJobs } from '../../jobs/model/jobsInFile';
import type { Jobs } from '../../jobs/store/jobs';
import { outputsFolderOf, withOutputs, workspaceKeyOf } from '../../jobs/store/outputsFolders';
import { secretPlaceOf } from '../../jobs/store/secretUses';
import { secretFor, type KeptSecret } from '../../model/accounts/keptSecret';
import type { MarketQuery } from '../../model/offers/marketQuery';
import type { RentSource } from '../../model/rentals/rentPlan';
import { readFilters } from '../../model/templates/templateDocument';
import { recipeQuery } from '../../model/workspace/recipeQuery';
import { workspaceFilePath, type OpenRecipe } from '../../model/workspace/workspaceFile';
import { readPlace, realPlace } from '../../util/realPlace';
import { ToolError } from '../model/answer';
import type { AgentRequest } from '../model/request';
import type { OpenFolders } from './openFolders';
import type { AgentSsh } from './toolDeps';

/** What a job of a folder sends. */
export type JobFilesToSend = Pick<DraftJob, 'names' | 'bytes' | 'secretFiles' | 'leftOut'>;

/** What agents need of jobs; the job engine does all of it. */
export interface AgentJobs {
  readonly jobs: Jobs;
  readonly folders: Pick<OpenFolders, 'all'>;
  readonly kept: (accountKey: string) => Promise<readonly KeptSecret[]>;
  readonly files: (
    folder: string,
    spec: JobSpec,
    signal: AbortSignal | undefined,
  ) => Promise<JobFilesToSend & { readonly missing: boolean }>;
  readonly setupKey: (
    spec: JobSpec,
    folder: string,
    names: readonly string[],
    image: string | undefined,
  ) => Promise<string | undefined>;
  readonly commit: (folder: string) => Promise<DraftJob['order']['commit']>;
  /** Writes the SSH entry of an instance that a job is ordered for. */
  readonly prepare: (...call: Parameters<AgentSsh['prepare']>) => Promise<void>;
}

/** A job as its folder has it now. */
export interface PlannedJob {
  readonly folder: string;
  readonly spec: JobSpec;
  readonly recipe: OpenRecipe | undefined;
  readonly files: JobFilesToSend;
  /** Secrets that the user did not give to this job of this folder yet. */
  readonly missingSecrets: readonly string[];
  readonly print: string;
}

type Deps = { readonly agentJobs: AgentJobs };

/** Reads a job of a folder that is open in a window whose user trusts it, from the disk. Writes nothing. */
export async function planJob(
  { agentJobs }: Deps,
  { accountKey, folder: named, name }: { accountKey: string; folder: string | undefined; name: string },
  signal?: AbortSignal,
): Promise<PlannedJob> {
  const folder = openFolder(agentJobs, named);
  const path = join(folder, ...workspaceFilePath.split('/'));
  const source = await readPlace({ path, root: { opened: folder } });
  if (source === undefined) {
    throw new ToolError(`The folder has no ${workspaceFilePath}. Write one with "jobs", then call again.`);
  }
  const spec = readJob(source, name);
  if (spec.matrix) {
    throw new ToolError(
      'A job with "matrix" is run by the user only. Ask the user, or add a job without it.',
    );
  }
  const recipe = recipeForJobs(source, spec.machineName);
  const files = await agentJobs.files(folder, spec, signal);
  checkFiles(spec, files);
  const place = await secretPlaceOf({ workspace: folder, spec });
  const kept = spec.secrets.length === 0 ? [] : await agentJobs.kept(accountKey);
  return {
    folder,
    spec,
    recipe,
    files,
    missingSecrets: spec.secrets.filter((one) => !secretFor(kept, place.useOf(one))),
    print: printOf(folder, spec, recipe, files),
  };
}

/** Returns the job that a request is about. Throws if its text, its machine or its files are not what they were. */
export async function samePlan(
  deps: Deps,
  { job }: Pick<AgentRequest, 'job'>,
  accountKey: string,
): Promise<PlannedJob> {
  const planned = job && (await planJob(deps, { ...job, accountKey }));
  if (!planned || planned.print !== job.print) {
    throw new ToolError(
      'The job, its files or its machine in the file changed since the plan. Nothing was done. Call check_job again.',
    );
  }
  if (planned.missingSecrets.length > 0) {
    throw new ToolError(noSecret);
  }
  return planned;
}

export const noSecret =
  'The user has not given this job all of its secrets, or took one back. Ask the user to run Run Job… of GPU Rental for this job once, which asks for them, then call check_job again.';

/** Returns the job as it would be ordered, for a machine with this end. */
export async function draftOf(
  { agentJobs }: Deps,
  { folder, spec, recipe, files }: PlannedJob,
  on: 'offer' | { readonly image: string | undefined },
  /** When the agent asked, so that the folder of the outputs is the one of the question. */
  now: number,
): Promise<DraftJob> {
  const outputsTo = outputsFolderOf(spec, folder, now);
  // Reported before anything is paid; fetched files are checked again.
  await realPlace({ path: outputsTo, root: { opened: folder } });
  const known = agentJobs.jobs.rows.map(({ job }) => job.outputsTo);
  const image = on === 'offer' ? (recipe?.image ?? recipe?.template?.hash) : on.image;
  return {
    order: {
      spec,
      workspace: folder,
      workspaceKey: workspaceKeyOf(folder, spec),
      commit: await agentJobs.commit(folder),
      setupKey: await agentJobs.setupKey(spec, folder, files.names, image),
      ends: on === 'offer' ? spec.rentedEnds : spec.ends,
      outputsTo,
    },
    each: withOutputs([spec], folder, now, known),
    machines: 1,
    ...files,
  };
}

/** Returns the search for the machine of a file, the cheapest first. */
export function queryOf(
  { spec }: Pick<PlannedJob, 'spec'>,
  recipe: OpenRecipe,
  source: RentSource,
  diskGb: number,
): MarketQuery {
  const record = source.kind === 'template' ? source.template.raw : undefined;
  const filters = { ...readFilters(record?.['extra_filters']), ...recipe.filters };
  const query = recipeQuery(recipe, filters, diskGb);
  // The rental must not end before the job does.
  const days = Math.max(Math.ceil(((spec.hours + 1) / 24) * 100) / 100, query.filters.days?.min ?? 0);
  return {
    ...query,
    sort: 'price',
    filters: { ...query.filters, days: { ...query.filters.days, min: days } },
  };
}

function openFolder({ folders }: AgentJobs, named: string | undefined): string {
  const { all } = folders;
  const found = named === undefined ? all : all.filter((one) => one === resolve(named));
  const [only] = found;
  if (only === undefined || found.length > 1) {
    throw new ToolError(
      found.length > 1
        ? 'Several folders are open. Give the full path of one as folder.'
        : 'This folder is not open in a window of the editor that the user trusts. Ask the user to open it there and to trust it, then call again with its full path as folder.',
    );
  }
  return only;
}

function checkFiles(
  { sync }: JobSpec,
  { names, bytes, missing }: Awaited<ReturnType<AgentJobs['files']>>,
): void {
  if (missing) {
    throw new ToolError(
      'The command names a file that is not sent. Add it to "include" in "sync" of the job.',
    );
  }
  if (sync && (names.length > sync.maxFiles || bytes > sync.maxMb * 1e6)) {
    throw new ToolError(
      `The job would send ${names.length} files and ${Math.ceil(bytes / 1e6)} MB, more than its "sync" allows. Exclude some, or ask the user to run it.`,
    );
  }
}

/** Names that look like secrets are part of the names. Sizes count in whole MB: a file may grow a little. */
function printOf(
  folder: string,
  spec: JobSpec,
  recipe: OpenRecipe | undefined,
  { names, bytes }: JobFilesToSend,
): string {
  const parts = [folder, jobText(spec), recipe, names, Math.ceil(bytes / 1e6)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
