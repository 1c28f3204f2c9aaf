import { isLocalProblem } from '../../util/localProblem';
import { isBeforeStart, needsYou, type JobRow, type JobState } from './job';
import { isNearLimit, limitAt, limitSecondsOf } from './jobExtension';

export const jobNewsKinds = [
  /** The limit is reached in 10 minutes. */
  'nearLimit',
  'extended',
  /** It has been idle for as long as its file allows. */
  'idle',
  'notExtended',
  /** This computer could not store a checkpoint, or two in a row were not whole. */
  'notCheckpointed',
  'ended',
  'notStarted',
  'notReady',
  'notReplaced',
  /** It runs again; each attempt is reported once. */
  'triedAgain',
  'lost',
  'machineStopped',
  /** Its machine does not answer while it costs money. */
  'noAnswer',
  'notSaved',
  'notSent',
  /** No try fails, but the job is overdue. */
  'overdue',
  'keeping',
  'incomplete',
  /** The user decides before outputs of this size are fetched. */
  'largeOutputs',
  'othersThere',
  'notFetched',
  'stillGuarded',
  'notReleased',
  /** The outputs of a job that was over. */
  'fetchedAgain',
  'notFetchedAgain',
  'released',
] as const;
export type JobNewsKind = (typeof jobNewsKinds)[number];

export interface JobNews {
  readonly kind: JobNewsKind;
  /** The same news is shown again if this differs. */
  readonly turn: number;
}

const hourMs = 3_600_000;
/** A machine that works for a job and is out of sight for less than this is no news. */
const silentMs = 10 * 60_000;
/** How much longer than its limit a job may take before the machine counts as stuck. */
const spareMs = 15 * 60_000;

/** Returns the news to show for a job in this state; none for ordinary progress. */
export function jobNews(row: JobRow, now: number): readonly JobNews[] {
  const { state } = row;
  const news = [...limitNews(row, now), ...endNews(row), ...troubleNews(state), ...overdueNews(row)];
  return news.map((one) => ({ turn: 0, ...one }));
}

type News = Pick<JobNews, 'kind'> & Partial<JobNews>;

function* limitNews(row: JobRow, now: number): Iterable<News> {
  const { extension } = row.state;
  if (extension && !row.state.reopened) {
    yield { kind: extension.isDone ? 'extended' : 'notExtended', turn: extension.orderedAt };
  }
  if (isNearLimit(row, now)) {
    yield { kind: 'nearLimit', turn: limitSecondsOf(row) ?? 0 };
  }
  const { checkpointProblem: problem } = row.state;
  if (row.state.phase === 'running' && problem && problem.mayPass !== true) {
    yield { kind: 'notCheckpointed', turn: problem.since };
  }
  if (row.state.phase === 'running' && row.state.idleSince !== undefined) {
    yield { kind: 'idle', turn: row.state.idleSince };
  }
}

function* endNews(row: JobRow): Iterable<News> {
  const { state } = row;
  const { phase, outcome, fetchedAt, attempts, reopened } = state;
  if (reopened) {
    yield* endAgainNews(row);
    return;
  }
  if (attempts && attempts.length > 0 && phase !== 'over') {
    yield { kind: 'triedAgain', turn: state.attempt };
  }
  if (fetchedAt !== undefined) {
    yield { kind: 'ended' };
  }
  if (phase === 'keeping') {
    yield { kind: 'keeping' };
  }
  if (phase !== 'over') {
    return;
  }
  if (state.why) {
    yield { kind: 'notStarted' };
  }
  if (outcome === 'lost') {
    yield { kind: 'lost' };
  } else if (outcome === 'stopped' || outcome === 'destroyed') {
    yield { kind: 'released' };
  }
}

/** Messages about the first end of a job are not repeated. */
function* endAgainNews({ job, state }: JobRow): Iterable<News> {
  const { phase, outcome, reopened } = state;
  const wasEnded = job.machineEnd !== undefined || job.reopen?.isStarted === true;
  if (phase !== 'over' || !reopened) {
    return;
  }
  const turn = reopened.at;
  if (reopened.isFetched) {
    yield { kind: 'fetchedAgain', turn };
  } else if (reopened.why) {
    yield { kind: 'notFetchedAgain', turn };
  }
  if (outcome === 'lost') {
    yield { kind: 'lost', turn };
  } else if (outcome === 'destroyed' || (outcome === 'stopped' && wasEnded)) {
    yield { kind: 'released', turn };
  }
}

function* troubleNews(state: JobState): Iterable<News> {
  const { trouble } = state;
  if (!trouble || !needsYou({ state })) {
    return;
  }
  if (trouble.kind === 'sync') {
    yield { kind: 'notSent', turn: trouble.since };
  } else if (trouble.kind === 'notSaved') {
    yield { kind: 'notSaved', turn: trouble.since };
  } else if (trouble.kind === 'unreachable' || trouble.kind === 'machineFails') {
    if (isBeforeStart(state.phase) || trouble.lastedMs >= silentMs) {
      yield { kind: 'noAnswer', turn: trouble.since };
    }
  } else if (trouble.kind === 'notReady') {
    yield { kind: 'notReady' };
  } else if (trouble.kind === 'notReplaced') {
    yield { kind: 'notReplaced', turn: trouble.since };
  } else if (trouble.kind === 'machineStopped') {
    // One that is started for a fetch after the end is shown as stopped at first.
    if (!state.reopened) {
      yield { kind: 'machineStopped', turn: trouble.since };
    }
  } else if (trouble.kind === 'othersThere') {
    yield { kind: 'othersThere', turn: trouble.since };
  } else if (trouble.kind === 'incomplete') {
    yield { kind: 'incomplete', turn: state.fetchedFor ?? 0 };
  } else if (trouble.kind === 'largeOutputs') {
    yield { kind: 'largeOutputs', turn: trouble.since };
  } else if (trouble.kind === 'fetch') {
    // A remedy is shown although the connection failed before.
    yield { kind: 'notFetched', turn: isLocalProblem(trouble.why) ? 1 : 0 };
  } else if (trouble.kind === 'guard') {
    yield { kind: 'stillGuarded', turn: trouble.since };
  } else if (trouble.kind === 'release') {
    yield { kind: 'notReleased', turn: Math.floor(trouble.lastedMs / hourMs) };
  }
}

/**
 * The machine itself ends a job at its limit; if it does not, it costs money without end. Only a current
 * report of the machine shows that: after a sleep or without an editor, older reports are outdated.
 */
function* overdueNews(row: JobRow): Iterable<News> {
  const { phase, trouble, attempt, lastSeenAt = 0 } = row.state;
  const endAt = endOfPhase(row);
  if (!trouble && endAt !== undefined && lastSeenAt >= endAt + spareMs) {
    yield { kind: 'overdue', turn: phase === 'fetching' ? -attempt : attempt };
  }
}

/** When the phase of a job is over at the latest; `undefined` for one that ends with another job or with the user. */
function endOfPhase(row: JobRow): number | undefined {
  const { job, state } = row;
  const graceMs = job.spec.graceSeconds * 1000;
  if (state.phase === 'settingUp') {
    return state.since + job.spec.setupMinutes * 60_000 + graceMs;
  }
  if (state.phase === 'running') {
    const at = limitAt(row);
    return at === undefined ? undefined : at + graceMs;
  }
  return state.phase === 'fetching' && state.end ? state.since + hourMs : undefined;
}
