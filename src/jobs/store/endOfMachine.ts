import type { Instance } from '../../model/instances/instance';
import { mayAct } from '../../shared/oneWindow';
import type { Account } from '../../store/accounts/accounts';
import { carryOut } from '../../store/instances/carryOut';
import { attemptId } from '../model/attemptIds';
import { isBefore, machineEndOf, machineOf, type JobRow } from '../model/job';
import { isJobOpen } from '../model/reopenedJob';
import type { JobStepDeps, Step } from './jobStep';
import { isStopped } from './jobTrouble';
import { othersInTheWay } from './otherJobs';

/** How soon to check again whether others still use the machine (ms). */
const waitMs = 30_000;

/** Ends the machine of a job as confirmed, or leaves it to a later job on the same machine. */
export async function endMachineOf(
  deps: JobStepDeps,
  account: Account,
  row: JobRow,
  signal: AbortSignal,
): Promise<Step> {
  const { job, state } = row;
  const { instanceId } = machineOf(row);
  const action = machineEndOf(row);
  const others = deps.jobs.rows.filter(
    (one) => instanceId !== undefined && machineOf(one).instanceId === instanceId && one.job.id !== job.id,
  );
  const isUsed = others.some((other) => isJobOpen(other) && other.state.phase !== 'releasing');
  if (action === 'keep' || instanceId === undefined) {
    // Its guard works for the other jobs as well.
    return isUsed && isGuarded(deps, instanceId) ? { waitMs } : keep(deps, account, row, signal);
  }
  // The user left it stopped, even if other jobs have outputs there.
  if (job.machineEnd === 'stop' && isStopped(deps, row)) {
    return { event: { kind: 'released', outcome: 'stopped' } };
  }
  const isSaving = () => deps.isSaving(account.key, instanceId, action === 'destroy' ? 'disk' : 'processes');
  if (isUsed || (await isSaving())) {
    return { waitMs };
  }
  // Unless the user decides otherwise, the last job of a machine ends it.
  const isLeft = job.machineEnd === undefined && !state.reopened;
  if (isLeft && others.some((other) => isBefore(job, other.job) && other.state.end)) {
    return keep(deps, account, row, signal);
  }
  // A job here must not end work that another computer ordered.
  const inTheWay =
    job.machineEnd === undefined ? await othersInTheWay(deps, account, row, action, signal) : [];
  if (inTheWay.length > 0) {
    return { event: { kind: 'failed', trouble: 'othersThere', others: inTheWay } };
  }
  const tries = state.trouble?.tries ?? 0;
  // An earlier end of the job has had its own claims.
  const turn = state.reopened ? `${tries}:${state.reopened.at}` : tries;
  if (!(await mayAct(deps.hub, `${account.key}:job:${attemptId(job, state)}:${action}:${turn}`))) {
    return { event: { kind: 'failed', trouble: 'release' } };
  }
  /** Reads the user's last decision right before the request leaves. */
  const isStillWanted = async () => {
    const last = await deps.jobs.reread(job.id);
    return deps.hub.isLeader && last !== undefined && machineEndOf(last) === action && !(await isSaving());
  };
  const done = await carryOut(deps, account, { instanceId, action }, { by: 'job', signal, isStillWanted });
  return {
    event:
      done === 'notConfirmed'
        ? { kind: 'failed', trouble: 'release' }
        : { kind: 'released', outcome: done === 'stopped' ? 'stopped' : 'destroyed' },
  };
}

/** Returns whether the machine was rented for a job, so that a guard works there. */
function isGuarded({ jobs }: Pick<JobStepDeps, 'jobs'>, instanceId: number | undefined): boolean {
  return jobs.rows.some((one) => one.job.rental && machineOf(one).instanceId === instanceId);
}

/** Returns whether a guard may still act: one that was never proved may have started with the machine. */
function livesOn(instance: Instance | undefined, guardedUntil: number | undefined): boolean {
  return (
    instance?.intendedStatus !== 'stopped' &&
    (guardedUntil !== undefined || instance?.actualStatus === 'running')
  );
}

/** Keeps the machine: first ends the guard that would stop it without an editor. A stopped machine has no guard. */
async function keep(deps: JobStepDeps, account: Account, row: JobRow, signal: AbortSignal): Promise<Step> {
  const { instanceId } = machineOf(row);
  const isFree =
    instanceId === undefined ||
    !isGuarded(deps, instanceId) ||
    !livesOn(deps.fleet.find(instanceId), row.state.guardedUntil) ||
    (await disarmed(deps, account, instanceId, signal));
  return { event: isFree ? { kind: 'released', outcome: 'kept' } : { kind: 'failed', trouble: 'guard' } };
}

/** Returns whether the guard was ended; false if ssh fails as well. */
async function disarmed(
  { guard, log }: JobStepDeps,
  account: Account,
  instanceId: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await guard.disarm(account, instanceId, signal);
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    log.warn(`The guard of instance ${instanceId} could not be ended: ${String(error)}`);
    return false;
  }
}
