import { mkdir } from 'node:fs/promises';
import { UserError } from '../../util/errors';
import { realPlace } from '../../util/realPlace';
import { formatText, text, type Text } from '../../util/text';
import { attemptId } from '../model/attemptIds';
import { questionAbout } from '../model/fetchSize';
import type { JobRow } from '../model/job';
import type { StoppedMachine } from '../model/jobMachine';
import type { JobEvent } from '../model/jobProgress';
import { jobFolderGone } from '../model/jobText';
import type { JobCheck, LeftOutput } from '../model/onMachine';
import { removeCheckpoint } from './checkpoints';
import type { JobStepDeps } from './jobStep';
import { fetchSizeOf, type TrafficDeps, trafficOf } from './traffic';

/** After this many tries the rest will not succeed by itself; then the user decides about the machine. */
const fetchTries = 3;
/** The most names to show in the view and in messages. */
const mostNamed = 3;

/**
 * Fetches the outputs of a job, and marks it as fetched on the machine if all were complete.
 * A fetch that is too large, too dear or has no room here does not begin: the user decides.
 * @throws UserError if some failed and another try may help.
 */
export async function bringOutputs(
  { jobs, log, fleet, freeBytes }: Pick<JobStepDeps, 'jobs' | 'log' | 'freeBytes'> & TrafficDeps,
  source: StoppedMachine,
  { job, state }: JobRow,
  id: string,
  signal: AbortSignal,
): Promise<JobEvent> {
  const list = await source.outputs(id, job.spec.outputs, signal);
  const into = { path: job.outputsTo, root: { opened: job.workspace } };
  await mkdir(await realPlace(into), { recursive: true });
  const traffic = trafficOf({ fleet }, { job, state }, 'fetching');
  const size = await fetchSizeOf(freeBytes, list.files, job.outputsTo, traffic);
  const question = questionAbout(job, size);
  if (question) {
    return { kind: 'failed', trouble: 'largeOutputs', why: question, bytes: size.bytes };
  }
  const { leftOut, notKept } = await jobs.moves.report(job.id, 'fetching', (onProgress) =>
    source.fetch(id, list, into, { signal, onProgress: traffic.noting(onProgress) }),
  );
  const isWhole = leftOut.length <= list.leftOut.length;
  if (notKept) {
    log.warn(`Job ${job.id}: ${formatText(notKept)}`);
  }
  for (const { name, why } of leftOut) {
    log.warn(`Job ${job.id} left out ${JSON.stringify(name)}: ${formatText(why)}`);
  }
  if (!isWhole && (state.trouble?.tries ?? 0) < fetchTries) {
    throw new UserError(leftOutText(leftOut));
  }
  if (isWhole) {
    await source.markFetched(id, list.hash, signal);
    await removeCheckpoint(job).catch((error: unknown) => {
      log.warn(
        `The checkpoint of job ${job.id}, which is not needed any more, could not be removed: ${String(error)}`,
      );
    });
  }
  const outputs = {
    files: list.files.length,
    bytes: list.files.reduce((sum, { size }) => sum + size, 0),
    hash: list.hash,
    areHashed: list.areHashed,
    leftOut: leftOut.length,
    ...(leftOut.length === 0 ? {} : { named: leftOut.slice(0, mostNamed) }),
  };
  return { kind: 'fetched', outputs, traffic: traffic.cost };
}

function leftOutText(leftOut: readonly LeftOutput[]): Text {
  const [first = { name: '', why: text('') }] = leftOut;
  return leftOut.length === 1
    ? text('{0} could not be fetched: {1}', first.name, first.why)
    : text('{0} outputs could not be fetched. The first is {1}: {2}', leftOut.length, first.name, first.why);
}

/**
 * Looks what a machine still has of a job that was over, before its outputs are fetched again. Returns `undefined` if
 * they can be fetched now.
 */
export async function checkAgain(
  source: StoppedMachine,
  row: JobRow,
  signal: AbortSignal,
): Promise<JobEvent | undefined> {
  const { job, state } = row;
  const checkAttempt = (attempt: number) =>
    source.check(attemptId(job, { attempt }), state.logOffset, 0, signal);
  if (state.isLost && !state.end) {
    // The number of the last attempt is lost as well, so the newest one on the machine is used.
    const most = 1 + Object.values(job.spec.retries).reduce((sum, count) => sum + count, 0);
    for (let attempt = most; attempt > state.attempt; attempt--) {
      if ((await checkAttempt(attempt)).phase !== 'none') {
        return { kind: 'attemptFound', attempt };
      }
    }
  }
  const check = await checkAttempt(state.attempt);
  const missing = withoutFolder(row, check);
  if (missing || state.end) {
    return missing;
  }
  if (check.phase === 'synced') {
    return { kind: 'notFetched', why: neverStarted };
  }
  // What became of the job is only known here; a command that still runs is waited for.
  return { kind: 'looked', check };
}

const neverStarted = text('Its command was never started.');

/** The outputs of a job whose folder is gone. */
export const noOutputs = { files: 0, bytes: 0, hash: '', areHashed: false, leftOut: 0 };

/** A folder that is missing twice in a row will not return; without it, nothing of the job is running. */
export function withoutFolder({ state }: JobRow, check: JobCheck): JobEvent | undefined {
  if (check.phase !== 'none' || check.end) {
    return undefined;
  }
  if (state.trouble?.why?.template !== jobFolderGone.template) {
    return { kind: 'failed', trouble: state.reopened ? 'fetch' : 'machineFails', why: jobFolderGone };
  }
  if (state.reopened) {
    return { kind: 'notFetched', why: jobFolderGone };
  }
  const end = { code: undefined, why: 'gone', at: undefined, isOutOfMemory: false } as const;
  return { kind: 'looked', check: { ...check, end } };
}
