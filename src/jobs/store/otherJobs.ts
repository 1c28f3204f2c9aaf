import type { Account } from '../../store/accounts/accounts';
import { isCancelled, UserError } from '../../util/errors';
import { localProblem } from '../../util/localProblem';
import { text } from '../../util/text';
import { isBefore, isBeforeStart, type JobPhase, type JobRow, machineOf } from '../model/job';
import type { JobMachine } from '../model/jobMachine';
import { isLostHere } from '../model/lostProgress';
import type { JobThere } from '../model/onMachine';
import type { JobStepDeps } from './jobStep';
import { isCopied, isStopped } from './jobTrouble';
import type { Jobs } from './jobs';

/**
 * Returns the jobs that another computer, editor or account ordered on the machine; they are shown, waited for
 * and spared. So are jobs of this computer whose progress is lost: only the machine knows what became of them.
 */
export async function otherJobs(
  jobs: Pick<Jobs, 'find'>,
  machine: Pick<JobMachine, 'jobsThere'>,
  signal: AbortSignal,
): Promise<readonly JobThere[]> {
  return (await machine.jobsThere(signal)).filter(({ id }) => {
    const known = jobs.find(id.slice(0, 16));
    return !known || isLostHere(known);
  });
}

/** How often to look for them during a job (ms): once a machine is lost it can't be asked. */
const othersEveryMs = 10 * 60_000;

export function areOthersDue({ state }: JobRow, now: number): boolean {
  return now - (state.othersTriedAt ?? 0) >= othersEveryMs;
}

/** Looks for other jobs during a job. Failures are retried when the next look is due. */
export async function seeOthers(
  { jobs, log }: Pick<JobStepDeps, 'jobs' | 'log'>,
  machine: JobMachine,
  { job, state }: JobRow,
  signal: AbortSignal,
): Promise<readonly JobThere[] | undefined> {
  try {
    return await otherJobs(jobs, machine, signal);
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    log.info(`The other jobs beside job ${job.id} could not be read: ${String(error)}`);
    return state.others;
  }
}

/**
 * Returns the jobs that the end of the machine would destroy.
 * @throws UserError if the machine can't be asked: its earlier answer may be outdated.
 */
export async function othersInTheWay(
  deps: JobStepDeps,
  account: Account,
  row: JobRow,
  action: 'stop' | 'destroy',
  signal: AbortSignal,
): Promise<readonly JobThere[]> {
  const { instanceId } = machineOf(row);
  if (instanceId === undefined || (action === 'stop' && !isRunning(deps, instanceId))) {
    return [];
  }
  try {
    const others = await otherJobs(deps.jobs, portOf(deps, account, row, instanceId), signal);
    return action === 'stop' ? others.filter(({ isAtWork }) => isAtWork) : others;
  } catch (error) {
    if (signal.aborted || isCancelled(error)) {
      throw error;
    }
    if (!hasWorked(deps, instanceId)) {
      return [];
    }
    deps.log.info(`The jobs on instance ${instanceId} could not be read: ${String(error)}`);
    const why = localProblem(error) ?? (error instanceof UserError ? error.text : undefined);
    throw new UserError(why ? text('{0} {1}', notChecked, why) : notChecked);
  }
}

const notChecked = text('Could not check whether it has jobs of other computers.');

function isRunning({ fleet }: Pick<JobStepDeps, 'fleet'>, instanceId: number): boolean {
  return fleet.find(instanceId)?.actualStatus === 'running';
}

function portOf(deps: JobStepDeps, account: Account, row: JobRow, instanceId: number) {
  if (isCopied(deps, row)) {
    return deps.stoppedMachine(account, instanceId, row.job);
  }
  if (isStopped(deps, row)) {
    throw new UserError(text('It is stopped.'));
  }
  return deps.machine(account, instanceId);
}

/** Returns whether a job of this computer ever began on the machine; one that never got ready has none to spare. */
function hasWorked({ jobs }: Pick<JobStepDeps, 'jobs'>, instanceId: number): boolean {
  return jobs.rows.some(
    (row) => machineOf(row).instanceId === instanceId && row.state.othersTriedAt !== undefined,
  );
}

const accepted: readonly JobPhase[] = ['waiting', 'settingUp', 'running'];

/** Returns the other jobs of this computer on the machine of a job that are not over. */
function besides(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): readonly JobRow[] {
  const { instanceId } = machineOf(row);
  const rows = instanceId === undefined ? [] : jobs.ofInstance(instanceId);
  return rows.filter(({ job }) => job.id !== row.job.id);
}

/**
 * Returns whether a job waits before it is sent: only one at a time uses the mirror of a workspace, and is then started.
 * They go in their order, and an attempt that follows another does not overtake one that is on its way.
 */
export function isTurnOfAnother(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): boolean {
  const isSent = row.state.phase === 'syncing';
  return besides(jobs, row).some((other) => {
    const { phase } = other.state;
    if (phase === 'syncing') {
      return !isSent || cameFirst(other, row);
    }
    return phase === 'starting' || (!isSent && isBeforeStart(phase) && isBefore(other.job, row.job));
  });
}

/** Returns which of two jobs is sent that both found the mirror free. */
function cameFirst(one: JobRow, other: JobRow): boolean {
  return one.state.since === other.state.since
    ? isBefore(one.job, other.job)
    : one.state.since < other.state.since;
}

/**
 * Returns the jobs that a job waits for on the machine: those that it has accepted, in any order, because an
 * attempt that follows another is placed after them. Each waits only for earlier ones, so none waits for itself.
 */
export function acceptedBefore(jobs: Pick<Jobs, 'ofInstance'>, row: JobRow): readonly JobRow[] {
  return besides(jobs, row).filter(({ state }) => accepted.includes(state.phase));
}
