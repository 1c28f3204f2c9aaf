import { perHour, runningRateOf } from '../../model/quote';
import type { Account } from '../../store/accounts/accounts';
import { isCancelled } from '../../util/errors';
import { isAtWork, isRenting, type JobRow, machineOf } from '../model/job';
import { limitNow } from '../model/jobExtension';
import { guardSecondsOf, limitInputs } from '../model/jobLimits';
import type { JobMachine } from '../model/jobMachine';
import type { JobEvent } from '../model/jobProgress';
import type { JobStepDeps } from './jobStep';

/**
 * Returns the event for a machine that costs more than the job counts with, as after a higher bid or an increase that
 * the user accepted; `undefined` if it does not. It counts once two lists state it: a higher price ends the command
 * earlier, and one odd list must not.
 */
export function dearerMachine({ fleet }: Pick<JobStepDeps, 'fleet'>, row: JobRow): JobEvent | undefined {
  const { instanceId, perHour: known } = machineOf(row);
  const { phase } = row.state;
  if (instanceId === undefined || known === undefined || !isAtWork(row) || isRenting(phase)) {
    return undefined;
  }
  const instance = fleet.find(instanceId);
  const rate = instance?.actualStatus === 'running' ? runningRateOf(instance) : undefined;
  const price = rate && perHour(rate);
  const { state } = fleet;
  if (price === undefined || price <= known || state.kind !== 'ready') {
    return undefined;
  }
  const { dearer } = row.state;
  if (dearer?.perHour !== price) {
    return { kind: 'dearer', perHour: price, listedAt: state.fetchedAt };
  }
  return dearer.listedAt === state.fetchedAt ? undefined : { kind: 'repriced', perHour: price };
}

/** Passes the user's higher limits on: the machine enforces them itself, so they count once it has accepted them. */
export async function extendTime(
  machine: JobMachine,
  row: JobRow,
  id: string,
  orderedAt: number,
  signal: AbortSignal,
): Promise<JobEvent> {
  const seconds = limitNow(row);
  const isDone = seconds !== undefined && (await machine.extend(id, seconds, signal));
  return { kind: 'extended', orderedAt, limitSeconds: seconds ?? 0, isDone };
}

/**
 * Sends the machine the time that the dollars of the job still buy. Returns
 * `undefined` if it knows that, or if the script does not run yet.
 */
export async function shortenTime(
  machine: JobMachine,
  row: JobRow,
  id: string,
  signal: AbortSignal,
): Promise<JobEvent | undefined> {
  const { phase, isTimeOld } = row.state;
  if (phase !== 'running' || !isTimeOld) {
    return undefined;
  }
  const limitSeconds = limitNow(row) ?? 0;
  await machine.extend(id, limitSeconds, signal);
  return { kind: 'shortened', limitSeconds };
}

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
 * The same during a job, if its guard could not prove itself before, as while the service was unreachable:
 * without it, nothing ends the machine if no editor returns. A failure changes nothing for the job.
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
