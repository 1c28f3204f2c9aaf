import type { InstanceStateKind } from '../../model/instances/instanceState';
import type { Text } from '../../util/text';
import { type Job, type JobPhase, type JobState, machineOf, type PastAttempt } from './job';
import { hardLimit, limitInputs, spentBefore } from './jobLimits';
import { nothingRan } from './jobText';

type Next = readonly [phase: JobPhase, more: Partial<JobState>];

/** Returns whether the file allows another attempt after this cause, and the user did not stop the job. */
export function mayTryAgain({ decidedAt, spec }: Job, { attempts = [] }: JobState, cause: string): boolean {
  const count = attempts.filter((one) => one.cause === cause).length;
  return decidedAt.stop === undefined && count < (spec.retries[cause] ?? 0);
}

/** Runs the job again on its machine, which has cost money since its first attempt there, or fetches its outputs. */
export function afterEnd(job: Job, state: JobState, now: number): Next {
  const cause = state.end?.why === 'itself' ? String(state.end.code) : (state.end?.why ?? '');
  const goesOn = { job, state: { ...state, endedAt: undefined } };
  if (!mayTryAgain(job, state, cause) || !hardLimit(...limitInputs(goesOn, now))) {
    // One that ended while it waited or was set up brought nothing.
    return ['fetching', state.startedAt === undefined ? (ranBefore(state)?.last ?? {}) : {}];
  }
  return ['connecting', anew(job, state, cause, now)];
}

/** Continues on another machine; the cost of the previous one counts against the job's cost limit. */
export function onNextMachine(job: Job, state: JobState, cause: LossCause, now: number): Next {
  return [
    'renting',
    {
      ...anew(job, state, cause, now),
      machine: undefined,
      leaving: undefined,
      beganAt: undefined,
      others: undefined,
      othersTriedAt: undefined,
      guardedUntil: undefined,
      firstHere: state.attempt + 1,
      before: spentBefore({ job, state }, now),
    },
  ];
}

/**
 * Ends an attempt that is not started. What one before it brought is on the same machine and is fetched; a machine that was
 * rented, or started to fetch from it, for nothing is released as after a failure.
 */
export function afterNotStarted(job: Job, state: JobState, why: Text | undefined, now: number): Next {
  const isStarted = job.decidedAt.start !== undefined;
  // Who asked for the outputs waits for them.
  const isAwaited = isStarted || job.decidedAt.copy !== undefined;
  const more = { why: why ?? (isAwaited ? nothingRan : undefined), endedAt: now };
  const { last, past } = ranBefore(state) ?? {};
  if (last) {
    return ['fetching', { ...more, ...last, end: past?.end }];
  }
  // A folder that is gone may have held outputs, so only a machine on which nothing ran is released.
  return (isStarted && why === undefined) || (job.rental && state.machine)
    ? ['releasing', more]
    : ['over', { ...more, outcome: 'notStarted' }];
}

/** Returns the last attempt on the present machine before this one whose script ran: nothing else has outputs. */
function ranBefore({ attempts = [], firstHere = 1 }: JobState) {
  const at = attempts.findLastIndex(({ startedAt }) => startedAt !== undefined);
  const past = attempts[at];
  return past && at + 1 >= firstHere
    ? { past, last: { attempt: at + 1, attempts: attempts.slice(0, at), startedAt: past.startedAt } }
    : undefined;
}

/** Returns what changes while the machine works for another job: only what earlier attempts cost counts. */
export function whileWaiting(job: Job, state: JobState, now: number): Partial<JobState> {
  const { attempt, firstHere = 1, beganAt } = state;
  const hasCost = attempt > firstHere && beganAt !== undefined;
  return { beganAt: undefined, ...(hasCost ? { before: spentBefore({ job, state }, now) } : {}) };
}

function anew(job: Job, state: JobState, cause: string, now: number): Partial<JobState> {
  const past: PastAttempt = {
    cause,
    at: state.endedAt ?? now,
    machine: machineOf({ job, state }).name,
    end: state.end,
    startedAt: state.startedAt,
  };
  return {
    attempt: state.attempt + 1,
    attempts: [...(state.attempts ?? []), past],
    end: undefined,
    startedAt: undefined,
    idleSince: undefined,
    endedAt: undefined,
    limitSeconds: undefined,
    isTimeOld: undefined,
    extension: undefined,
    cancelSentAt: undefined,
    checkpointTriedAt: undefined,
    checkpointProblem: undefined,
    logOffset: 0,
    numbers: undefined,
  };
}

/** Why a job continues on another machine; each cause has its own count in `retries`. */
export type LossCause = 'interrupted' | 'machineLost';

/** A host that is unreachable for less than this may return with everything still running (ms). */
const awayMs = 30 * 60_000;
/** After this time without running, a machine counts as interrupted (ms); until then a bid may win again. */
const pausedMs = 5 * 60_000;

/** Returns why a job leaves a machine that should run but is silent for `silentMs`; `undefined` if it stays. */
export function lossOf(kind: InstanceStateKind, silentMs: number): LossCause | undefined {
  if (kind === 'exited' || kind === 'outbid') {
    return silentMs >= pausedMs ? 'interrupted' : undefined;
  }
  const isAway = kind === 'offline' || kind === 'unknown';
  return isAway && silentMs >= awayMs ? 'machineLost' : undefined;
}
