import { formatMoney, fromDollars, type Micros } from '../../model/money';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { assertNever } from '../../util/errors';
import { text, type Text } from '../../util/text';
import {
  hasUnfetched,
  isAtWork,
  isOver,
  machineEndOf,
  type JobMove,
  type JobRow,
  type JobTrouble,
} from './job';
import { limitAt } from './jobExtension';
import { jobCost, jobMs } from './jobLimits';
import type { JobSpec, MachineEnd, MachineEnds } from './jobSpec';
import { isLostHere } from './lostProgress';
import type { JobEnd, JobThere } from './onMachine';

/** Describes the state of a job in a few words. */
export function phaseText(row: JobRow): Text {
  const { job, state } = row;
  if (state.trouble && state.phase !== 'over') {
    return troubleText(state.trouble);
  }
  if (state.leaving && job.decidedAt.stop === undefined && state.phase !== 'over') {
    return text('machine lost, renting another');
  }
  switch (state.phase) {
    case 'queued':
      return job.decidedAt.stop === undefined ? text('waiting') : text('stopping');
    case 'renting':
      return text('renting a machine');
    case 'gettingReady':
      return text('waiting for its machine');
    case 'connecting':
      return state.attempt > 1 ? text('connecting for attempt {0}', state.attempt) : text('connecting');
    case 'syncing':
      return text('sending files');
    case 'starting':
      return text('starting');
    case 'waiting':
      return job.decidedAt.stop === undefined ? text('waiting for the previous job') : text('stopping');
    case 'settingUp':
      return job.decidedAt.stop === undefined ? text('setting up') : text('stopping');
    case 'running':
      return job.decidedAt.stop !== undefined
        ? text('stopping')
        : job.serves
          ? text('serving a model')
          : state.idleSince === undefined
            ? text('running')
            : text('running, but idle');
    case 'ended':
    case 'fetching':
      return text('{0}, fetching outputs', becameText(row));
    case 'fetched':
      return text('{0}, outputs are here', becameText(row));
    case 'keeping':
      return text('{0}, machine about to end', becameText(row));
    case 'releasing':
      if (machineEndOf(row) === 'keep') {
        return text('{0}, keeping the machine', becameText(row));
      }
      return text('{0}, ending the machine', becameText(row));
    case 'over':
      return overText(row);
    default:
      return assertNever(state.phase);
  }
}

/** The most names to show of files that may be secrets. */
const mostSecretFiles = 50;

export function secretFilesText(names: readonly string[]): Text | string {
  const shown = names.slice(0, mostSecretFiles).join(', ');
  return names.length > mostSecretFiles
    ? text('{0} and {1} more', shown, names.length - mostSecretFiles)
    : shown;
}

/** Returns how often a job runs again and what that may cost; `undefined` if it never does. */
export function retriesText(
  { retries, costDollars }: Pick<JobSpec, 'retries' | 'costDollars'>,
  mostPerHour?: Micros,
): Text | undefined {
  const { interrupted = 0, machineLost = 0, ...codes } = retries;
  const causes = [
    ...(interrupted > 0 ? [text('interrupted: {0}', interrupted)] : []),
    // Only a machine that was rented for the job can be replaced.
    ...(machineLost > 0 && mostPerHour !== undefined ? [text('machine lost: {0}', machineLost)] : []),
    ...Object.entries(codes)
      .filter(([, count]) => count > 0)
      .map(([code, count]) => text('code {0}: {1}', code, count)),
  ];
  if (causes.length === 0) {
    return undefined;
  }
  const [first = text(''), ...others] = causes;
  const most = formatMoney(fromDollars(costDollars));
  const all = others.reduce((before, cause) => text('{0}, {1}', before, cause), first);
  return mostPerHour !== undefined && interrupted + machineLost > 0
    ? text(
        '{0}; another machine costs {1}/h at most, and the old one is destroyed; {2} at most for all attempts, without traffic',
        all,
        formatMoney(mostPerHour),
        most,
      )
    : text('{0}; {1} at most for all attempts, without traffic', all, most);
}

/** Explains why another attempt followed. */
export function causeText(cause: string): Text {
  switch (cause) {
    case 'interrupted':
      return text('its machine was interrupted');
    case 'machineLost':
      return text('its machine was lost');
    default:
      return text('it failed with code {0}', cause);
  }
}

/** Returns text such as `sending files, 12 MB of 300 MB`. */
export function moveText({ way, bytes, totalBytes }: JobMove): Text {
  const amount = amountText(bytes, totalBytes);
  return way === 'sending' ? text('sending files, {0}', amount) : text('fetching outputs, {0}', amount);
}

/** Returns text such as `12 MB of 300 MB`. */
export function amountText(bytes: number, totalBytes: number): Text {
  return text('{0} of {1}', bytesText(bytes), bytesText(totalBytes));
}

function overText({ state }: JobRow): Text {
  return state.outcome === 'lost' ? text('machine lost') : becameText({ state });
}

/** Why nothing of a job can be fetched from its machine. */
export const jobFolderGone = text('Its folder on the machine is gone.');

/** Why there are no outputs of a machine that stopped before it accepted the order to start. */
export const nothingRan = text('Its machine was stopped before, so there are no outputs.');

/** Why a job is not started any more. */
export const costLimitReached = text('It reached its cost limit before it could start.');

/** Describes the result of the command, also if it never started. */
function becameText({ state }: Pick<JobRow, 'state'>): Text {
  if (!state.end && state.isLost) {
    return text('progress lost');
  }
  return state.end ? jobEndText(state.end) : state.why ? text('not started') : text('canceled');
}

/** Returns what a job would lose; `undefined` if it no longer depends on the instance. */
export function riskText(row: JobRow, loss: 'processes' | 'disk'): Text | undefined {
  const { name } = row.job.spec;
  if (isLostHere(row)) {
    return text('The progress of the job {0} is lost. It may still run there or have outputs there.', name);
  }
  if (isAtWork(row) && row.job.serves) {
    return text('The model {0} is served there. Its requests will get no answer.', name);
  }
  if (isAtWork(row)) {
    return loss === 'disk'
      ? text('The job {0} is not finished. It will end, and its outputs will be lost.', name)
      : text('The job {0} is not finished. It will end without a result.', name);
  }
  if (!hasUnfetched(row)) {
    return undefined;
  }
  return loss === 'disk'
    ? text('The outputs of the job {0} are not on this computer yet. They will be lost.', name)
    : text('The outputs of the job {0} are not on this computer yet.', name);
}

/** Explains why a machine is kept that holds a job of another computer. */
export function otherJobText({ name, isAtWork }: JobThere): Text {
  return isAtWork
    ? text('The job {0} of another computer is not finished there.', name)
    : text('The outputs of the job {0} of another computer were not fetched.', name);
}

/** Describes the result of the command. */
export function jobEndText(end: JobEnd | undefined): Text {
  if (!end) {
    return text('ended');
  }
  switch (end.why) {
    case 'itself':
      return end.code === 0
        ? text('succeeded')
        : end.isOutOfMemory
          ? text('out of memory')
          : end.code === undefined
            ? text('ended without an exit code')
            : text('failed with code {0}', end.code);
    case 'limit':
      return text('ended at its limit');
    case 'idle':
      return text('ended because it was idle');
    case 'cancelled':
      return text('canceled');
    case 'setup':
      return end.code === undefined ? text('set-up failed') : text('set-up failed with code {0}', end.code);
    case 'setupLimit':
      return text('set-up took too long');
    case 'log':
      return text('ended because its log filled the disk');
    case 'gone':
      return text('lost its files on the machine');
    case 'killed':
      return end.isOutOfMemory ? text('out of memory') : text('killed on the machine');
    case 'interrupted':
      return text('interrupted by a stop or restart of the machine');
  }
}

function troubleText({ kind }: JobTrouble): Text {
  switch (kind) {
    case 'notReady':
      return text('machine did not get ready');
    case 'notReplaced':
      return text('machine lost, no replacement rented yet, retrying');
    case 'unreachable':
      return text('machine unreachable, retrying');
    case 'machineFails':
      return text('machine reports an error, retrying');
    case 'notSaved':
      return text('not saved on this computer, retrying');
    case 'machineStopped':
      return text('machine is stopped');
    case 'sync':
      return text('files not sent yet, retrying');
    case 'fetch':
      return text('outputs not fetched yet, retrying');
    case 'fetchPaused':
      return text('fetch paused, machine kept');
    case 'largeOutputs':
      return text('outputs not fetched yet, waiting for your decision');
    case 'incomplete':
      return text('outputs are missing');
    case 'othersThere':
      return text('machine kept for jobs of another computer');
    case 'guard':
      return text('machine kept, but it may still stop by itself, retrying');
    case 'release':
      return text('machine not released yet, retrying');
  }
}

/**
 * Returns text such as `12 min of 6 h · $0.11 of $5.00`; without limits once the job is over, and without figures if
 * they are lost.
 */
export function useText(row: JobRow, now: number): Text {
  if (row.state.isLost) {
    return text('time and cost unknown');
  }
  const { spec } = row.job;
  const passed = durationText(jobMs(row, now));
  const cost = jobCost(row, now);
  if (isOver(row)) {
    return cost === undefined ? passed : text('{0} · {1}', passed, formatMoney(cost));
  }
  const time = text('{0} of {1}', passed, durationText(mostMs(row)));
  return cost === undefined
    ? time
    : text('{0} · {1} of {2}', time, formatMoney(cost), formatMoney(fromDollars(spec.costDollars)));
}

/**
 * Returns how long the job takes at most, with its set-up (ms). Before its script runs, only the hours of the file are
 * known; its dollars may end it earlier.
 */
function mostMs(row: JobRow): number {
  const { beganAt, before } = row.state;
  const at = limitAt(row);
  return at === undefined || beganAt === undefined
    ? row.job.spec.hours * 3_600_000
    : at - beganAt + (before?.ms ?? 0);
}

/** Returns what happens to the machine and when; without an occasion if it is always the same. */
export function endsByOccasion(
  ends: MachineEnds,
): readonly { readonly when?: Text; readonly end: MachineEnd }[] {
  const occasions: readonly (readonly [MachineEnd | undefined, Text])[] = [
    [ends.success, text('after success')],
    [ends.failure, text('after failure')],
    [ends.limit, text('at a limit')],
    [ends.idle, text('when idle')],
  ];
  const groups = new Map<MachineEnd, Text>();
  for (const [end, when] of occasions) {
    if (end !== undefined) {
      const before = groups.get(end);
      groups.set(end, before === undefined ? when : text('{0} or {1}', before, when));
    }
  }
  const [only, ...more] = groups.keys();
  return only !== undefined && more.length === 0
    ? [{ end: only }]
    : [...groups].map(([end, when]) => ({ when, end }));
}

/** Returns the same as one sentence. */
export function endsText(ends: MachineEnds): Text {
  return endsByOccasion(ends)
    .map(({ when, end }) =>
      when === undefined ? machineEndText(end) : text('{0}: {1}', when, machineEndText(end)),
    )
    .reduce((before, next) => text('{0}; {1}', before, next));
}

/** Returns what happens to the machine after the job: what was decided, or else what may be. */
export function machinePlanText(row: JobRow): Text {
  return isEndDecided(row) ? machineEndText(machineEndOf(row)) : endsText(row.job.ends);
}

/** Returns whether the job may stop or destroy its machine from now on. */
export function mayEndMachine(row: JobRow): boolean {
  return !isOver(row) && (isEndDecided(row) ? machineEndOf(row) !== 'keep' : endsMachine(row.job.ends));
}

function isEndDecided({ job, state }: JobRow): boolean {
  return state.end !== undefined || state.reopened !== undefined || job.machineEnd !== undefined;
}

/** Returns what happens when a job is idle; `undefined` if that is not checked. */
export function idleText({ idleMinutes, endsIfIdle }: JobSpec): Text | undefined {
  if (idleMinutes === undefined) {
    return undefined;
  }
  const time = durationText(idleMinutes * 60_000);
  return endsIfIdle
    ? text('the job ends after {0} with each GPU under 5 % and no new log line', time)
    : text('a message appears after {0} with each GPU under 5 % and no new log line', time);
}

export function machineEndText(end: MachineEnd): Text {
  switch (end) {
    case 'keep':
      return text('keep it (it still costs money)');
    case 'stop':
      return text('stop it (storage still costs money)');
    case 'destroy':
      return text('destroy it (all data on it is lost)');
  }
}

/** Returns whether a job may stop or destroy the machine. */
export function endsMachine({ success, failure, limit, idle = 'keep' }: MachineEnds): boolean {
  return [success, failure, limit, idle].some((end) => end !== 'keep');
}

export function destroysMachine({ success, failure, limit, idle = 'keep' }: MachineEnds): boolean {
  return [success, failure, limit, idle].includes('destroy');
}
