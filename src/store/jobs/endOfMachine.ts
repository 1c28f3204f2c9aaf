import { attemptId, isBefore, isOver, machineEndOf, machineOf, type JobRow } from '../../model/jobs/job';
import type { Instance } from '../../model/instances/instance';
import { mayAct } from '../../shared/oneWindow';
import { carryOut } from '../leases/carryOut';
import type { Account } from '../ports';
import type { JobStepDeps, Step } from './jobStep';
import { othersInTheWay } from './otherJobs';

/** How soon it is looked whether the other jobs of the machine are done with it. */
const waitMs = 30_000;

/** Ends the machine of a job as was confirmed, or leaves it to a job that runs on it later. */
export async function endMachineOf(
  deps: JobStepDeps,
  account: Account,
  row: JobRow,
  signal: AbortSignal,
): Promise<Step> {
  const { job, state } = row;
  const { instanceId } = machineOf(row);
  const action = machineEndOf(row);
  if (action === 'keep' || instanceId === undefined) {
    return keep(deps, account, row, signal);
  }
  const others = deps.jobs.rows.filter(
    (one) => machineOf(one).instanceId === instanceId && one.job.id !== job.id,
  );
  if (others.some((other) => !isOver(other) && other.state.phase !== 'releasing')) {
    return { waitMs };
  }
  // Unless the user names it, the end of the machine belongs to the last job that ran on it.
  if (job.machineEnd === undefined && others.some((other) => isBefore(job, other.job) && other.state.end)) {
    return keep(deps, account, row, signal);
  }
  // What another computer ordered there is not ended by a job of this one.
  const inTheWay =
    job.machineEnd === undefined ? await othersInTheWay(deps, account, row, action, signal) : [];
  if (inTheWay.length > 0) {
    return { event: { kind: 'failed', trouble: 'othersThere', others: inTheWay } };
  }
  const tries = state.trouble?.tries ?? 0;
  if (!(await mayAct(deps.hub, `${account.key}:job:${attemptId(job, state)}:${action}:${tries}`))) {
    return { event: { kind: 'failed', trouble: 'release' } };
  }
  /** The user's last word, read right before the request leaves. */
  const isStillWanted = async () => {
    const last = await deps.jobs.reread(job.id);
    return deps.hub.isLeader && last !== undefined && machineEndOf(last) === action;
  };
  const done = await carryOut(deps, account.client, { instanceId, action }, { signal, isStillWanted });
  return {
    event:
      done === 'notConfirmed'
        ? { kind: 'failed', trouble: 'release' }
        : { kind: 'released', outcome: done === 'stopped' ? 'stopped' : 'destroyed' },
  };
}

/** A guard that was never proved may have begun with the machine. */
function livesOn(instance: Instance | undefined, guardedUntil: number | undefined): boolean {
  return (
    instance?.intendedStatus !== 'stopped' &&
    (guardedUntil !== undefined || instance?.actualStatus === 'running')
  );
}

/** What would stop it without an editor is ended there first; nothing of that lives where the machine does not run. */
async function keep(deps: JobStepDeps, account: Account, row: JobRow, signal: AbortSignal): Promise<Step> {
  const { fleet, jobs } = deps;
  const { instanceId } = machineOf(row);
  const isGuarded = jobs.rows.some((one) => one.job.rental && machineOf(one).instanceId === instanceId);
  const isFree =
    instanceId === undefined ||
    !isGuarded ||
    !livesOn(fleet.find(instanceId), row.state.guardedUntil) ||
    (await disarmed(deps, account, instanceId, signal));
  return { event: isFree ? { kind: 'released', outcome: 'kept' } : { kind: 'failed', trouble: 'guard' } };
}

/** False as well where ssh itself fails: the machine is kept, whatever keeps it from being told. */
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
