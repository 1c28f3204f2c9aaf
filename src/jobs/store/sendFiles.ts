import { join } from 'node:path';
import type { JobRow } from '../model/job';
import { startableMs } from '../model/jobLimits';
import { costLimitReached } from '../model/jobWords';
import type { JobOrder } from '../model/onMachine';
import type { JobStepDeps, Step } from './jobStep';
import type { JobMachine } from '../model/jobMachine';
import { sendCheckpoint } from './checkpoints';
import { trafficOf } from './traffic';

/** The longest timer that this runtime keeps is a little longer (ms). */
const longestMs = 2_000_000_000;

/**
 * Sends the files of a job. As long as they arrive, its machine does not stop by itself, so the sending ends once the
 * dollars of the job no longer pay for a start.
 */
export async function sendFiles(
  deps: JobStepDeps,
  machine: JobMachine,
  row: JobRow,
  order: JobOrder,
  signal: AbortSignal,
): Promise<Step> {
  const { clock, jobs } = deps;
  const { job } = row;
  const over = new AbortController();
  const leftMs = () => startableMs(row, clock.now());
  const timer = clock.schedule(() => over.abort(), Math.min(leftMs(), longestMs));
  const inTime = AbortSignal.any([signal, over.signal]);
  try {
    const root = {
      path: join(job.workspace, ...job.spec.workdir.split('/')),
      root: { opened: job.workspace },
    };
    const tree = job.spec.sync && { root, names: await jobs.names(job.id) };
    const traffic = trafficOf(deps, row, 'sending');
    await sendCheckpoint(deps, machine, row, inTime, traffic);
    await jobs.moves.report(job.id, 'sending', (onProgress) =>
      machine.sync(order, tree, { signal: inTime, onProgress: traffic.noting(onProgress) }),
    );
    return { event: { kind: 'synced', traffic: traffic.cost } };
  } catch (error) {
    if (!signal.aborted && leftMs() === 0) {
      return { event: { kind: 'notStarted', why: costLimitReached } };
    }
    throw error;
  } finally {
    timer.dispose();
  }
}
