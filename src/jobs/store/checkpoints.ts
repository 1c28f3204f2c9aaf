import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { isCancelled } from '../../util/errors';
import { localProblem } from '../../util/localProblem';
import { type Place, realPlace } from '../../util/realPlace';
import { formatText, text, type Text } from '../../util/text';
import { attemptId } from '../model/attemptIds';
import { questionAbout } from '../model/fetchSize';
import type { Job, JobRow } from '../model/job';
import type { JobMachine } from '../model/jobMachine';
import { jobOrder } from '../model/jobOrder';
import type { JobEvent } from '../model/jobProgress';
import type { JobOrder, JobOutputs, LeftOutput } from '../model/onMachine';
import type { JobStepDeps } from './jobStep';
import { fetchSizeOf, type FreeBytes, type Traffic, type TrafficDeps, trafficOf } from './traffic';

/** What names the checkpoints of a job. */
type JobPlace = Pick<Job, 'id' | 'outputsTo' | 'workspace'>;

/** Returns the folder of a job's newest checkpoint, next to its outputs. */
export function checkpointFolder(job: Pick<JobPlace, 'id' | 'outputsTo'>): string {
  return join(checkpointsFolder(job), 'last');
}

/** Named by the job: it is removed in the end, and an output or a file of the user has any other name. */
function checkpointsFolder({ id, outputsTo }: Pick<JobPlace, 'id' | 'outputsTo'>): string {
  return join(outputsTo, `.gpu-rental-checkpoints-${id}`);
}

function inWorkspace({ workspace }: JobPlace, path: string): Place {
  return { path, root: { opened: workspace } };
}

export function isCheckpointDue({ job, state }: JobRow, now: number): boolean {
  const { checkpoints, fetchMinutes } = job.spec;
  const since = state.checkpointTriedAt ?? state.startedAt;
  return (
    state.phase === 'running' &&
    checkpoints.length > 0 &&
    job.decidedAt.stop === undefined &&
    since !== undefined &&
    now - since >= fetchMinutes * 60_000
  );
}

/**
 * Fetches the checkpoint of a running job. A set that changed during the transfer is discarded: only a whole set
 * replaces the last one. Failures are retried when the next checkpoint is due.
 */
export async function bringCheckpoint(
  { log, clock, fleet, freeBytes }: Pick<JobStepDeps, 'log' | 'clock' | 'freeBytes'> & TrafficDeps,
  machine: JobMachine,
  { job, state }: JobRow,
  id: string,
  signal: AbortSignal,
): Promise<JobEvent> {
  const moved = trafficOf({ fleet }, { job, state }, 'fetching');
  try {
    const brought = await whole(machine, { job, state }, id, signal, moved, freeBytes);
    const traffic = moved.cost;
    if (brought.kind === 'incomplete') {
      const name = brought.hash.slice(0, 8);
      log.warn(`The checkpoint ${name} of job ${job.id} is not kept, because ${formatText(brought.why)}`);
      return { kind: 'checkpointed', incomplete: brought.why, traffic };
    }
    if (brought.kind === 'asked') {
      return { kind: 'checkpointed', notStored: brought.why, bytes: brought.bytes };
    }
    if (brought.kind === 'nothing') {
      return { kind: 'checkpointed' };
    }
    const { files, hash } = brought;
    return { kind: 'checkpointed', checkpoint: { at: clock.now(), files, hash }, traffic };
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    log.warn(`A checkpoint of job ${job.id} could not be fetched: ${String(error)}`);
    return { kind: 'checkpointed', notStored: localProblem(error), traffic: moved.cost };
  }
}

type Brought =
  | { readonly kind: 'whole'; readonly files: number; readonly hash: string }
  /** There is none, or the newest is here already. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'incomplete'; readonly hash: string; readonly why: Text }
  /** The user decides before it is fetched. */
  | { readonly kind: 'asked'; readonly bytes: number; readonly why: Text };

async function whole(
  machine: JobMachine,
  { job, state }: JobRow,
  id: string,
  signal: AbortSignal,
  traffic: Traffic,
  free: FreeBytes | undefined,
): Promise<Brought> {
  const list = await machine.checkpoint(id, job.spec.checkpoints, signal);
  if (list.hash === state.checkpoint?.hash) {
    return { kind: 'nothing' };
  }
  if (list.files.length === 0) {
    return incomplete(list, list.leftOut);
  }
  const { last, next, old } = await settledFolders(job);
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  const size = await fetchSizeOf(free, list.files, next, traffic);
  const question = questionAbout(job, size);
  if (question) {
    return { kind: 'asked', bytes: size.bytes, why: question };
  }
  const { leftOut } = await machine.fetch(id, list, inWorkspace(job, next), {
    signal,
    onProgress: traffic.noting(),
  });
  if (leftOut.length > 0) {
    return incomplete(list, leftOut);
  }
  // A link can be made during the fetch.
  await realPlace(inWorkspace(job, next));
  await rm(old, { recursive: true, force: true });
  if (existsSync(last)) {
    await rename(last, old);
  }
  await rename(next, last);
  await rm(old, { recursive: true, force: true });
  return { kind: 'whole', files: list.files.length, hash: list.hash };
}

function incomplete({ files, leftOut: never, hash }: JobOutputs, leftOut: readonly LeftOutput[]): Brought {
  const [first] = leftOut;
  return first === undefined
    ? { kind: 'nothing' }
    : {
        kind: 'incomplete',
        hash,
        why: text(
          '{0} of {1} files could not be fetched. The first is {2}: {3}',
          leftOut.length,
          files.length + never.length,
          first.name,
          first.why,
        ),
      };
}

/**
 * Completes what a crash interrupted, then returns the checkpoint folders: the last set is only moved away for a
 * whole one.
 */
async function settledFolders(job: JobPlace) {
  const folder = await realPlace(inWorkspace(job, checkpointsFolder(job)));
  const [last, next, old] = [join(folder, 'last'), join(folder, 'next'), join(folder, 'old')];
  if (existsSync(old) && !existsSync(last)) {
    await rename(existsSync(next) ? next : old, last);
  }
  return { last, next, old };
}

/** Returns the file names, with forward slashes; none if the user removed them. */
export async function checkpointNames(job: JobPlace): Promise<readonly string[]> {
  const { last } = await settledFolders(job);
  const root = await realPlace(inWorkspace(job, last));
  if (!existsSync(root)) {
    return [];
  }
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Sends the newest checkpoint in place of the previous attempt's files, which are on another machine. */
export async function sendCheckpoint(
  { clock }: Pick<JobStepDeps, 'clock'>,
  machine: JobMachine,
  row: JobRow,
  signal: AbortSignal,
  traffic: Traffic,
): Promise<void> {
  const { job, state } = row;
  const { attempt, firstHere = 1, checkpoint } = state;
  if (attempt !== firstHere || !checkpoint) {
    return;
  }
  const names = await checkpointNames(job);
  const id = attemptId(job, { ...state, attempt: attempt - 1 });
  const order: JobOrder = { ...jobOrder(row, clock.now()), id, previous: undefined, workspaceKey: job.id };
  // The folder is empty if the user removed the fetched files.
  const tree = names.length === 0 ? undefined : { root: inWorkspace(job, checkpointFolder(job)), names };
  await machine.begin(order, signal);
  await machine.sync(order, tree, { signal, onProgress: traffic.noting() });
}

/** Removes the checkpoint, which is not needed once the outputs are here. */
export async function removeCheckpoint(job: JobPlace): Promise<void> {
  const folder = await realPlace(inWorkspace(job, join(checkpointsFolder(job), '..')));
  await rm(join(folder, basename(checkpointsFolder(job))), { recursive: true, force: true });
}

interface Fetch {
  readonly stop: AbortController;
  readonly settled: Promise<void>;
  event?: JobEvent | undefined;
  isOver: boolean;
}

/**
 * The checkpoints that are fetched at present, by job. A large one takes minutes, in which the log, the limits and the end
 * of its job are followed as before. Each job has one at a time.
 */
export class CheckpointFetches {
  private readonly fetches = new Map<string, Fetch>();

  /** @param stop Ends all of them. */
  constructor(private readonly stop: AbortSignal) {}

  /** Returns the outcome of a finished fetch, once; begins the next one when it is due. */
  next(row: JobRow, now: number, fetch: (signal: AbortSignal) => Promise<JobEvent>): JobEvent | undefined {
    const { id } = row.job;
    const known = this.fetches.get(id);
    if (known?.isOver) {
      this.fetches.delete(id);
      return known.event;
    }
    if (!known && isCheckpointDue(row, now)) {
      this.fetches.set(id, this.begin(fetch));
    }
    return undefined;
  }

  /** Ends the fetch of a job, and waits until nothing is written any more. */
  async end(jobId: string): Promise<void> {
    const fetch = this.fetches.get(jobId);
    fetch?.stop.abort();
    await fetch?.settled;
    this.fetches.delete(jobId);
  }

  private begin(fetch: (signal: AbortSignal) => Promise<JobEvent>): Fetch {
    const stop = new AbortController();
    const settled = fetch(AbortSignal.any([this.stop, stop.signal])).then(
      (event) => {
        begun.event = event;
        begun.isOver = true;
      },
      // Only the end of the fetch rejects it, and then it has no outcome.
      () => {
        begun.isOver = true;
      },
    );
    const begun: Fetch = { stop, settled, isOver: false };
    return begun;
  }
}
