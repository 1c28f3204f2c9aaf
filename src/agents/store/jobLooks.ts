import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isOver, machineOf, needsYou, type JobRow } from '../../jobs/model/job';
import { limitAt } from '../../jobs/model/jobExtension';
import { jobCost } from '../../jobs/model/jobLimits';
import { phaseText } from '../../jobs/model/jobText';
import { waitSince } from '../../util/clock';
import { ifPresent } from '../../util/missing';
import { endOfText, pageOf, ToolError } from '../model/answer';
import type { ToolInput } from '../model/toolShapes';
import type { ToolContext, ToolHandlers } from './agentTools';
import { ownWords } from './textForModel';
import { activeAccount, untrusted, usd, waitMsOf, type ToolDeps } from './toolDeps';

const usualRows = 5;
/** The most bytes of a log in an answer. */
const mostLog = 2500;
/** The most files of the outputs that are listed, and that are looked at. */
const mostOutputs = 40;
const mostEntries = 2000;

/** Returns the rows of the jobs of the active account, once they are read. */
async function rowsOf(deps: ToolDeps): Promise<readonly JobRow[]> {
  await activeAccount(deps);
  const { jobs } = deps.agentJobs;
  await jobs.ready;
  if (jobs.error !== undefined && jobs.rows.length === 0) {
    throw new ToolError(
      'The jobs could not be read on this computer. Ask the user to look at the Jobs view.',
    );
  }
  return jobs.rows;
}

/** Returns the job of a handle. */
export async function jobOf(deps: ToolDeps, handle: string): Promise<JobRow> {
  const id = handle.slice(handle.indexOf('_') + 1);
  const row = (await rowsOf(deps)).find(({ job }) => job.id === id);
  if (!row) {
    throw new ToolError('There is no such job on this account. Call list_jobs.');
  }
  return row;
}

export function rowAnswer(deps: ToolDeps, row: JobRow) {
  const { job, state } = row;
  const now = deps.clock.now();
  const machine = machineOf(row);
  const cost = jobCost(row, now);
  const endsBy = isOver(row) ? undefined : limitAt(row);
  return {
    job: `job_${job.id}`,
    state: state.phase,
    status: ownWords(phaseText(row)),
    isOver: isOver(row),
    needsUser: needsYou(row),
    ...(job.agent === undefined ? {} : { byAgent: true }),
    ...(machine.instanceId === undefined ? {} : { instance: `inst_${machine.instanceId}` }),
    ...(state.end?.code === undefined ? {} : { exitCode: state.end.code }),
    ...(state.end === undefined ? {} : { endedBecause: state.end.why }),
    ...(state.outcome === undefined ? {} : { outcome: state.outcome }),
    ...(cost === undefined ? {} : { costUsd: usd(cost) }),
    ...(endsBy === undefined ? {} : { endsBy: new Date(endsBy).toISOString() }),
  };
}

export function foreignTexts(deps: ToolDeps, { job }: JobRow) {
  return untrusted(deps, { name: job.spec.name, agentCallsItself: job.agent?.name });
}

async function listJobs(deps: ToolDeps, input: ToolInput<'list_jobs'>) {
  const all = await rowsOf(deps);
  const wanted = all.filter((row) => input.state === undefined || isOver(row) === (input.state === 'over'));
  const rows = wanted.map((row) => ({ ...rowAnswer(deps, row), untrusted: foreignTexts(deps, row) }));
  return pageOf('jobs', rows, { from: Number(input.cursor ?? 0), limit: input.limit ?? usualRows }, {});
}

async function getJob(deps: ToolDeps, input: ToolInput<'get_job'>, { signal }: ToolContext) {
  const row = await changedRow(deps, input, signal);
  const { job, state } = row;
  const log = await logOf(deps, row, input.from);
  const { outputs, fetchedAt, attempt, numbers, trouble } = state;
  const areHere = outputs !== undefined && fetchedAt !== undefined;
  return {
    ...rowAnswer(deps, row),
    attempt,
    ...(trouble?.why === undefined ? {} : { problem: ownWords(trouble.why) }),
    ...(outputs === undefined
      ? {}
      : {
          outputFiles: outputs.files,
          outputMb: Math.ceil(outputs.bytes / 1e5) / 10,
          leftOut: outputs.leftOut,
        }),
    ...(areHere ? { outputsFolder: job.outputsTo } : {}),
    logFrom: log.at,
    nextFrom: log.next,
    truncated: log.isCut,
    next: nextOf(row),
    untrusted: {
      ...foreignTexts(deps, row),
      ...untrusted(deps, { ...numbers }, 20),
      log: log.text,
      ...(areHere ? { outputs: await outputsText(deps, job.outputsTo) } : {}),
    },
  };
}

function nextOf(row: JobRow): string {
  if (isOver(row)) {
    return row.state.outcome === 'kept'
      ? 'The job is over. Its machine is kept and still costs money: stop or destroy it when the work is done.'
      : 'The job is over.';
  }
  return needsYou(row)
    ? 'The job waits for the user: tell the user to look at the Jobs view of GPU Rental.'
    : 'Call get_job again with from set to nextFrom.';
}

/** Waits until the log or the state of a job changed, at most as long as is asked for. */
async function changedRow(
  deps: ToolDeps,
  { job: handle, from, ...wish }: ToolInput<'get_job'>,
  signal: AbortSignal,
): Promise<JobRow> {
  const { clock } = deps;
  const since = clock.elapsed();
  const untilMs = waitMsOf(wish);
  const first = await jobOf(deps, handle);
  let row = first;
  const isSame = () =>
    row.state.phase === first.state.phase && row.state.logSize <= (from ?? first.state.logSize);
  const { jobs } = deps.agentJobs;
  // The log of a job that someone watches is read more often, which an agent that may only look does not cause.
  const isWatching = untilMs > 0 && (await deps.desk.gate()).limits.access === 'ask';
  const part = {};
  jobs.watch(part, isWatching ? [first.job.id] : []);
  try {
    for (let atMs = 1000; atMs <= untilMs && !isOver(row) && isSame(); atMs += 1000) {
      await waitSince(clock, since, atMs, signal);
      row = await jobOf(deps, handle);
    }
    return row;
  } finally {
    jobs.watch(part, []);
  }
}

/** Returns the log from a place on, or its end. */
async function logOf(deps: ToolDeps, { job }: JobRow, from: number | undefined) {
  const { bytes, at } = await deps.agentJobs.jobs.log(job.id, from);
  if (from === undefined) {
    const end = endOfText(deps.redact(bytes.toString('utf8')), mostLog);
    return { text: end.text, isCut: end.isCut, at, next: at + bytes.length };
  }
  const { text, length } = beginningOf(deps, bytes);
  return { text, isCut: length < bytes.length, at, next: at + length };
}

/** Returns as many whole characters of the beginning as fit. */
function beginningOf(deps: Pick<ToolDeps, 'redact'>, bytes: Buffer): { text: string; length: number } {
  let length = Math.min(bytes.length, mostLog);
  for (;;) {
    // A character of several bytes that is cut would be two broken ones.
    while (length < bytes.length && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80) {
      length -= 1;
    }
    const { text, isCut } = endOfText(deps.redact(bytes.toString('utf8', 0, length)), mostLog);
    if (!isCut) {
      return { text, length };
    }
    length = Math.floor(length / 2);
  }
}

/** Returns the names and sizes of the outputs on this computer, one a line. */
async function outputsText(deps: ToolDeps, folder: string): Promise<string> {
  const entries = (await ifPresent(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  const files = entries.slice(0, mostEntries).filter((one) => one.isFile());
  const lines = await Promise.all(files.slice(0, mostOutputs).map((one) => lineOf(folder, one)));
  const rest = files.length - lines.length;
  const text = [...lines, ...(rest > 0 ? [`${rest} more`] : [])].join('\n');
  return endOfText(deps.redact(text), 900).text;
}

async function lineOf(folder: string, entry: Dirent): Promise<string> {
  const path = join(entry.parentPath, entry.name);
  const size = (await ifPresent(stat(path)))?.size ?? 0;
  return `${relative(folder, path).split(sep).join('/')} ${size}`;
}

/** Returns the tools that look at jobs; they write nothing and log in nowhere. */
export function jobLooks(deps: ToolDeps): Pick<ToolHandlers, 'get_job' | 'list_jobs'> {
  return {
    get_job: (input, context) => getJob(deps, input, context),
    list_jobs: (input) => listJobs(deps, input),
  };
}
