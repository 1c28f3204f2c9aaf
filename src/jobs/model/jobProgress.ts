import type { Micros } from '../../model/money';
import type { Text } from '../../util/text';
import { afterFailure, waitingTrouble } from './afterFailure';
import { isFetchRepeatable } from './fetchAgain';
import {
  type Checkpoint,
  isAtWork,
  isBeforeStart,
  isRenting,
  type Job,
  type JobPhase,
  type JobRow,
  type JobState,
  machineEndOf,
  type MachineOfJob,
  type Outcome,
  type TroubleKind,
} from './job';
import { afterExtension, atNewPrice, idleSinceOf, seenTimes, withTraffic } from './jobTime';
import { numbersOf } from './logNumbers';
import { afterEnd, afterNotStarted, type LossCause, onNextMachine, whileWaiting } from './nextAttempt';
import type { JobCheck, JobThere } from './onMachine';
import { afterReopened, giveUpReason, notFetchedAgain, reopenedState } from './reopenedJob';

/** An event of a job. */
export type JobEvent =
  | { readonly kind: 'begun' }
  /** No rental was stored, and its renting window is gone (or has returned). */
  | { readonly kind: 'unrented'; readonly isGone: boolean }
  /** The rental became this instance, or a replacement of it. */
  | { readonly kind: 'rented'; readonly machine: MachineOfJob }
  | { readonly kind: 'ready'; readonly machine: MachineOfJob }
  /** The folder of the job is on the machine. */
  | {
      readonly kind: 'connected';
      readonly guardedUntil?: number | undefined;
      readonly others?: readonly JobThere[];
    }
  | { readonly kind: 'synced'; readonly traffic?: Micros }
  /** The machine has accepted the order to start, now or earlier. */
  | { readonly kind: 'started'; readonly isWaiting?: boolean; readonly limitSeconds?: number }
  | { readonly kind: 'looked'; readonly check: JobCheck }
  | { readonly kind: 'cancelSent' }
  /** Jobs of other computers on the machine, and its guard, as last known. */
  | {
      readonly kind: 'othersSeen';
      readonly others: readonly JobThere[] | undefined;
      readonly guardedUntil: number | undefined;
    }
  /** The machine received an extension of the run time. */
  | {
      readonly kind: 'extended';
      readonly orderedAt: number;
      readonly limitSeconds: number;
      readonly isDone: boolean;
    }
  /** A list, read at this time, states a higher price of the machine. */
  | { readonly kind: 'dearer'; readonly perHour: Micros; readonly listedAt: number }
  /** Another list agrees. */
  | { readonly kind: 'repriced'; readonly perHour: Micros }
  /** The machine received the time that the job has left at its new price. */
  | { readonly kind: 'shortened'; readonly limitSeconds: number }
  /** The log is read to its end. */
  | { readonly kind: 'logRead' }
  | {
      readonly kind: 'fetched';
      readonly outputs: NonNullable<JobState['outputs']>;
      readonly traffic?: Micros;
    }
  /** The user requested the outputs again. */
  | { readonly kind: 'fetchedAgain' }
  /** The user asked for the outputs of a job that is over. */
  | { readonly kind: 'reopened' }
  /** A fetch after the end brings nothing; without a reason if the user canceled it. */
  | { readonly kind: 'notFetched'; readonly why?: Text | undefined }
  /** The attempt that the machine has of a job whose progress is lost. */
  | { readonly kind: 'attemptFound'; readonly attempt: number }
  | { readonly kind: 'decided' }
  | { readonly kind: 'keepOver' }
  | { readonly kind: 'released'; readonly outcome: Outcome }
  /** Its machine is lost, and another is about to be rented. */
  | { readonly kind: 'leaving'; readonly cause: LossCause }
  /** The machine that seemed lost is back. */
  | { readonly kind: 'stayed' }
  /** A replacement for the lost machine was rented. */
  | { readonly kind: 'moved'; readonly cause: LossCause }
  /** A checkpoint was due; carries the newest complete one, if any, or why it could not be stored or is not whole. */
  | {
      readonly kind: 'checkpointed';
      readonly checkpoint?: Checkpoint | undefined;
      readonly notStored?: Text | undefined;
      readonly incomplete?: Text | undefined;
      /** The bytes of one that was not fetched because the user decides about it first. */
      readonly bytes?: number | undefined;
      readonly traffic?: Micros;
    }
  /** The user ends a machine that does not answer, with anything that still runs there. */
  | { readonly kind: 'givenUp' }
  /** The machine is gone. */
  | { readonly kind: 'machineGone'; readonly why?: Text | undefined }
  | { readonly kind: 'notStarted'; readonly why?: Text | undefined }
  | {
      readonly kind: 'failed';
      readonly trouble: TroubleKind;
      readonly why?: Text | undefined;
      /** The bytes that the user decides about. */
      readonly bytes?: number | undefined;
      readonly others?: readonly JobThere[];
    };

/** Returns the state after an event. An event that does not fit the phase changes nothing. */
export function progress(job: Job, state: JobState, event: JobEvent, now: number): JobState {
  const next =
    state.phase === 'over' || state.reopened
      ? whileReopened(job, state, event, now)
      : after(job, state, event, now);
  const traffic = 'traffic' in event ? event.traffic : undefined;
  return next === state ? state : { ...withTraffic(next, traffic), writtenAt: now };
}

function toPhase(state: JobState, now: number): To {
  return (phase, more = {}) => ({
    ...state,
    trouble: undefined,
    phase,
    since: phase === state.phase ? state.since : now,
    ...more,
  });
}

/** Handles what differs for a job that was over and whose outputs are fetched again: nothing else of it is repeated. */
function whileReopened(job: Job, state: JobState, event: JobEvent, now: number): JobState {
  if (state.phase === 'over') {
    return event.kind === 'reopened' ? reopenedState(job, state, now) : state;
  }
  const to = toPhase(state, now);
  if (event.kind === 'notFetched') {
    return state.phase === 'fetching' ? to(...notFetchedAgain(job, state, event.why)) : state;
  }
  if (event.kind === 'attemptFound') {
    return state.isLost ? { ...state, attempt: event.attempt } : state;
  }
  if (event.kind === 'decided') {
    return to(...afterReopened(job, state));
  }
  if (event.kind === 'machineGone') {
    const isLost = state.phase === 'fetching' && state.reopened?.fetchedAt === undefined;
    return to('over', { outcome: isLost ? 'lost' : 'destroyed' });
  }
  const next = after(job, state, event, now);
  const why = event.kind === 'failed' ? giveUpReason(state, next.trouble) : undefined;
  return why ? to(...notFetchedAgain(job, state, why)) : next;
}

function after(job: Job, state: JobState, event: JobEvent, now: number): JobState {
  const to = toPhase(state, now);
  const over = (outcome: Outcome, more: Partial<JobState> = {}) => to('over', { outcome, ...more });
  switch (event.kind) {
    case 'begun':
      return state.phase === 'queued' ? to(job.rental ? 'renting' : 'connecting') : state;
    case 'unrented':
      return { ...state, unrentedSince: event.isGone ? (state.unrentedSince ?? now) : undefined };
    case 'rented':
      return isRenting(state.phase) ? rented(state, event.machine, to, now) : state;
    case 'ready':
      return state.phase === 'gettingReady' ? to('connecting', { machine: event.machine }) : state;
    case 'connected':
      return state.phase === 'connecting'
        ? to('syncing', {
            beganAt: state.beganAt ?? now,
            guardedUntil: event.guardedUntil,
            others: event.others,
            othersTriedAt: now,
          })
        : state;
    case 'synced':
      return state.phase === 'syncing' ? to('starting') : state;
    case 'started':
      return state.phase !== 'starting'
        ? state
        : event.isWaiting
          ? to('waiting', { ...whileWaiting(job, state, now), ...limitOf(event) })
          : to(job.spec.setup === undefined ? 'running' : 'settingUp', limitOf(event));
    case 'extended':
      return afterExtension(state, event);
    case 'dearer':
      return { ...state, dearer: { perHour: event.perHour, listedAt: event.listedAt } };
    case 'repriced':
      return atNewPrice(job, state, event.perHour, now);
    case 'shortened':
      return { ...state, limitSeconds: event.limitSeconds, isTimeOld: undefined };
    case 'looked':
      return checked(job, state, event.check, to, now);
    case 'cancelSent':
      return { ...state, cancelSentAt: now };
    case 'othersSeen':
      return { ...state, othersTriedAt: now, others: event.others, guardedUntil: event.guardedUntil };
    case 'logRead':
      return state.phase === 'ended' ? to(...afterEnd(job, state, now)) : state;
    case 'leaving':
      return isAtWork({ state }) ? { ...state, leaving: event.cause } : state;
    case 'stayed':
      return { ...state, leaving: undefined, trouble: undefined };
    case 'moved':
      return isAtWork({ state }) ? to(...onNextMachine(job, state, event.cause, now)) : state;
    case 'checkpointed':
      return checkpointed(state, event, now);
    case 'fetched':
      return fetched(job, state, event.outputs, to, now);
    case 'fetchedAgain':
      return isFetchRepeatable({ state }) ? to('fetching', notFetched) : state;
    case 'decided':
      return decided(job, state, to, now);
    case 'keepOver':
      return state.phase === 'keeping' ? to('releasing') : state;
    case 'released':
      return over(event.outcome);
    case 'givenUp':
      return isAtWork({ state }) || state.phase === 'ended' || state.phase === 'fetching'
        ? to('releasing', { endedAt: state.endedAt ?? now })
        : state;
    case 'machineGone':
      return over(goneOutcome(state), { endedAt: state.endedAt ?? now, why: event.why ?? state.why });
    case 'notStarted':
      return isBeforeStart(state.phase) ? to(...afterNotStarted(job, state, event.why, now)) : state;
    case 'failed':
      return { ...afterFailure(state, event, now), ...(event.others && { others: event.others }) };
    case 'reopened':
    case 'notFetched':
    case 'attemptFound':
      return state;
  }
}

function goneOutcome({ phase, attempt, beganAt }: JobState): Outcome {
  if (phase === 'fetched' || phase === 'keeping' || phase === 'releasing') {
    return 'destroyed';
  }
  return attempt === 1 && (isRenting(phase) || beganAt === undefined) ? 'notStarted' : 'lost';
}

function fetched(job: Job, state: JobState, outputs: JobState['outputs'], to: To, now: number): JobState {
  const reopened = state.reopened && { ...state.reopened, isFetched: true };
  const done = { outputs, fetchedAt: now, fetchedFor: job.decidedAt.retry, ...(reopened && { reopened }) };
  return state.phase === 'fetching' ? to('fetched', done) : state;
}

const notFetched: Partial<JobState> = { fetchedAt: undefined, keepUntil: undefined };

function checkpointed(
  state: JobState,
  {
    checkpoint = state.checkpoint,
    notStored,
    incomplete,
    bytes,
  }: Extract<JobEvent, { readonly kind: 'checkpointed' }>,
  now: number,
): JobState {
  const { since = now } = state.checkpointProblem?.bytes === bytes ? (state.checkpointProblem ?? {}) : {};
  const why = notStored ?? incomplete;
  // The job may just have been writing it, and then the next fetch brings it.
  const mayPass = notStored === undefined && state.checkpointProblem === undefined;
  const checkpointProblem = why && {
    since,
    why,
    ...(mayPass ? { mayPass } : {}),
    ...(bytes === undefined ? {} : { bytes }),
  };
  return { ...state, checkpointTriedAt: now, checkpoint, checkpointProblem };
}

/** The machine costs money from now on. */
function rented(state: JobState, machine: MachineOfJob, to: To, now: number): JobState {
  return to('gettingReady', { machine, beganAt: state.beganAt ?? now, unrentedSince: undefined });
}

function limitOf({ limitSeconds }: Extract<JobEvent, { readonly kind: 'started' }>): Partial<JobState> {
  return { limitSeconds };
}

type To = (phase: JobPhase, more?: Partial<JobState>) => JobState;

/** Adopts the machine's own progress: a window that takes over may have missed steps. */
function checked(
  job: Job,
  state: JobState,
  { phase, end, beat, ago, log, pidAlive }: JobCheck,
  to: To,
  now: number,
): JobState {
  const at = seenTimes(state, now);
  const startedAt = state.startedAt ?? at(ago?.script);
  const seen: Partial<JobState> = {
    ...logSeen(state, log),
    lastSeenAt: now,
    gpuPercent: beat?.gpuPercent ?? state.gpuPercent,
    idleSince: idleSinceOf(job.spec, state, beat, now),
    beganAt: state.beganAt ?? at(ago?.work) ?? now,
  };
  if (!isBeforeStart(state.phase) && !['waiting', 'settingUp', 'running'].includes(state.phase)) {
    const known = state.end ?? (state.isLost ? end : undefined);
    return { ...state, ...logSeen(state, log), end: known, lastSeenAt: now, trouble: undefined };
  }
  if (end) {
    return to('ended', { ...seen, startedAt, end, endedAt: at(ago?.end) ?? now });
  }
  switch (phase) {
    case 'none':
      return state;
    case 'synced':
      // The machine was restarted while the job waited there, so that nothing of it ran.
      return isBeforeStart(state.phase) || (state.phase === 'waiting' && !pidAlive)
        ? to('starting', seen)
        : state;
    case 'waiting':
      return to('waiting', { ...seen, ...whileWaiting(job, state, now) });
    case 'settingUp':
      return to('settingUp', seen);
    case 'running':
    case 'ended':
      return to('running', { ...seen, startedAt: startedAt ?? now });
  }
}

function logSeen({ logSize, numbers }: JobState, { offset, piece }: JobCheck['log']) {
  return {
    logOffset: offset,
    logSize: logSize + piece.length,
    numbers: piece.length === 0 ? numbers : numbersOf(piece, numbers),
  };
}

function decided(job: Job, state: JobState, to: To, now: number): JobState {
  if (state.phase !== 'fetched' && state.phase !== 'keeping') {
    return state;
  }
  if (machineEndOf({ job, state }) === 'keep') {
    // The guard that acts without an editor must be ended first.
    return to('releasing');
  }
  if (areIncomplete({ job, state }) && job.machineEnd === undefined) {
    return { ...state, trouble: state.trouble ?? waitingTrouble(state, 'incomplete', now) };
  }
  // An explicit decision takes effect without the usual delay.
  if (job.spec.keepMinutes === 0 || job.machineEnd !== undefined) {
    return to('releasing');
  }
  const keepUntil = now + job.spec.keepMinutes * 60_000;
  // A later end comes from a clock that was set back, and the machine costs money until then.
  return state.phase === 'keeping' && (state.keepUntil ?? now) <= keepUntil
    ? state
    : to('keeping', { keepUntil });
}

/**
 * Returns whether outputs are missing, so that the user decides about the machine. A stop loses nothing, so the machine
 * of a job that failed before it wrote any does not wait at its price.
 */
function areIncomplete({ job, state }: JobRow): boolean {
  const { files = 0, leftOut = 0 } = state.outputs ?? {};
  if (job.spec.outputs.length === 0 || (files > 0 && leftOut === 0)) {
    return false;
  }
  const mayStop = machineEndOf({ job, state }) === 'stop' && state.end?.why !== 'gone';
  return files > 0 || leftOut > 0 || !mayStop;
}
