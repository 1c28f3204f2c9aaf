import { needsYou, type JobState } from './job';

export type JobNewsKind =
  | 'ended'
  | 'notStarted'
  | 'notReady'
  | 'lost'
  | 'machineStopped'
  | 'keeping'
  | 'incomplete'
  | 'notFetched'
  | 'notReleased'
  | 'released';

export interface JobNews {
  readonly kind: JobNewsKind;
  /** The same news is told again where this differs. */
  readonly turn: number;
}

const hourMs = 3_600_000;

/** What the user is to be told of a job in this state; nothing for ordinary progress. */
export function jobNews(state: JobState, now: number): readonly JobNews[] {
  return [...endNews(state), ...troubleNews(state, now)].map((news) => ({ turn: 0, ...news }));
}

type News = Pick<JobNews, 'kind'> & Partial<JobNews>;

function* endNews(state: JobState): Iterable<News> {
  const { phase, outcome, fetchedAt } = state;
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

function* troubleNews(state: JobState, now: number): Iterable<News> {
  const { trouble } = state;
  if (!trouble || !needsYou({ state }, now)) {
    return;
  }
  if (trouble.kind === 'notReady') {
    yield { kind: 'notReady' };
  } else if (trouble.kind === 'machineStopped') {
    yield { kind: 'machineStopped', turn: trouble.since };
  } else if (trouble.kind === 'incomplete') {
    yield { kind: 'incomplete' };
  } else if (trouble.kind === 'fetch') {
    yield { kind: 'notFetched' };
  } else if (trouble.kind === 'release') {
    yield { kind: 'notReleased', turn: Math.floor((now - trouble.since) / hourMs) };
  }
}
