import { stateOf, type InstanceStateKind } from '../../model/instances/instanceState';
import { machineOf, mayHaveStarted, type JobRow, type TroubleKind } from '../model/job';
import { isFetchGivenUp, isGivenUp } from '../model/outOfReach';
import type { JobStepDeps } from './jobStep';

/** Returns whether the machine is stopped, so that SSH can't be used. */
export function isStopped({ fleet, clock }: Pick<JobStepDeps, 'fleet' | 'clock'>, row: JobRow): boolean {
  const { instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  return instance !== undefined && stateOf(instance, fleet.facts(instance.id), clock.now()) === 'stopped';
}

/** Returns whether the user chose to fetch from the stopped machine and there may be outputs. */
export function isCopied(deps: Pick<JobStepDeps, 'fleet' | 'clock'>, row: JobRow): boolean {
  const { job, state } = row;
  return job.decidedAt.copy !== undefined && mayHaveStarted(state.phase) && isStopped(deps, row);
}

/** Machines in these states have no login; that of a running one may only be out of order for a while. */
const silent: readonly InstanceStateKind[] = ['offline', 'unknown', 'exited', 'outbid'];

/** Returns whether the user ends a machine that could not be asked again, with everything it still has of the job. */
export function isEndedUnasked(deps: Pick<JobStepDeps, 'fleet' | 'clock'>, row: JobRow): boolean {
  const { fleet, clock } = deps;
  const { instanceId } = machineOf(row);
  const instance = instanceId === undefined ? undefined : fleet.find(instanceId);
  const kind = instance && stateOf(instance, fleet.facts(instance.id), clock.now());
  // From a stopped one, only its host could have served the files.
  const isSilent = isCopied(deps, row) || (kind !== undefined && silent.includes(kind));
  return isGivenUp(row) || (isFetchGivenUp(row) && isSilent);
}

/** Returns the kind of trouble to report for a failed step. */
export function jobTroubleOf({ fleet, clock }: JobStepDeps, row: JobRow): TroubleKind {
  const { job, state } = row;
  if (state.phase === 'releasing') {
    return 'release';
  }
  const isAnother = state.phase === 'renting' && (state.firstHere ?? 1) > 1;
  // For a job that was stopped, no machine is rented any more, and its old one is what does not answer.
  if (isAnother || (state.leaving && job.decidedAt.stop === undefined)) {
    return 'notReplaced';
  }
  if (isStopped({ fleet, clock }, row)) {
    return isCopied({ fleet, clock }, row) ? 'fetch' : 'machineStopped';
  }
  return state.phase === 'syncing'
    ? 'sync'
    : state.phase === 'ended' || state.phase === 'fetching'
      ? 'fetch'
      : 'unreachable';
}
