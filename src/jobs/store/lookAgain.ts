import { attemptId } from '../model/attemptIds';
import type { JobRow } from '../model/job';
import type { JobEvent } from '../model/jobProgress';
import { text } from '../../util/text';
import { withoutFolder } from './goneFolder';
import type { StoppedMachine } from '../model/jobMachine';

/**
 * Looks what a machine still has of a job that was over, before its outputs are fetched again. Returns `undefined` if
 * they can be fetched now.
 */
export async function lookAgain(
  source: StoppedMachine,
  row: JobRow,
  signal: AbortSignal,
): Promise<JobEvent | undefined> {
  const { job, state } = row;
  const lookAt = (attempt: number) => source.look(attemptId(job, { attempt }), state.logOffset, 0, signal);
  if (state.isLost && !state.end) {
    // The last attempt is lost as well; the newest that the machine has is meant.
    const most = 1 + Object.values(job.spec.retries).reduce((sum, count) => sum + count, 0);
    for (let attempt = most; attempt > state.attempt; attempt--) {
      if ((await lookAt(attempt)).phase !== 'none') {
        return { kind: 'attemptFound', attempt };
      }
    }
  }
  const look = await lookAt(state.attempt);
  const missing = withoutFolder(row, look);
  if (missing || state.end) {
    return missing;
  }
  if (look.phase === 'synced') {
    return { kind: 'notFetched', why: neverStarted };
  }
  // What became of the job is only known here; a command that still runs is waited for.
  return { kind: 'looked', look };
}

const neverStarted = text('Its command was never started.');
