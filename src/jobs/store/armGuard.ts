import type { JobRow } from '../model/job';
import { guardSecondsOf, limitInputs } from '../model/jobLimits';
import { isCancelled } from '../../util/errors';
import type { Account } from '../../store/accounts/accounts';
import type { JobStepDeps } from './jobStep';

interface Machine {
  readonly account: Account;
  readonly instanceId: number;
}

/** Returns when the machine stops itself if no job begins; `undefined` if it did not prove that it can. */
export async function armGuard(
  deps: JobStepDeps,
  { account, instanceId }: Machine,
  row: JobRow,
  signal: AbortSignal,
): Promise<number | undefined> {
  await deps.firstContact(instanceId, signal);
  const seconds = guardSecondsOf(...limitInputs(row, deps.clock.now()));
  return (await deps.guard.arm(account, instanceId, seconds, signal))
    ? deps.clock.now() + seconds * 1000
    : undefined;
}

/**
 * The same during a job, if its guard could not prove itself before, as while the service was away: without it, nothing ends
 * the machine where no editor comes back. A failure changes nothing for the job.
 */
export async function armGuardAgain(
  deps: JobStepDeps,
  machine: Machine,
  row: JobRow,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { job, state } = row;
  if (!job.rental || job.machineEnd === 'keep' || state.guardedUntil !== undefined) {
    return state.guardedUntil;
  }
  try {
    return await armGuard(deps, machine, row, signal);
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    deps.log.info(`The guard of job ${job.id} could not be started: ${String(error)}`);
    return undefined;
  }
}
