import {
  newJobState,
  type Job,
  type JobRow,
  type JobState,
  type TroubleKind,
} from '../../src/jobs/model/job';
import type { JobEnd } from '../../src/jobs/model/onMachine';
import { text, type Text } from '../../src/util/text';
import { aJob } from './jobWindows';

/** Noon of the user's own day, so that times read the same in every zone. */
export const jobNow = new Date(2026, 0, 15, 12).getTime();
export const minuteMs = 60_000;

interface RowParts {
  /** Fields of the job in the workspace file. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly instanceId?: number | undefined;
  readonly job?: Partial<Job>;
}

/** A job `train` on the instance `trainer`, ordered and begun an hour ago, at $1.00/h, which runs by default. */
export function aJobRow(state: Partial<JobState> = {}, { fields, job, ...parts }: RowParts = {}): JobRow {
  const instanceId = 'instanceId' in parts ? parts.instanceId : 7;
  const whole: Job = {
    ...aJob(instanceId, fields),
    ...{ id: '0123456789abcdef', orderedAt: jobNow - 60 * minuteMs },
    ...job,
  };
  const [beganAt, startedAt] = [jobNow - 60 * minuteMs, jobNow - 50 * minuteMs];
  const times = { beganAt, startedAt, limitSeconds: 3600, since: jobNow - 50 * minuteMs };
  return { job: whole, state: { ...newJobState(whole), phase: 'running', ...times, ...state } };
}

/** Trouble that has lasted for so many minutes. */
export function jobTrouble(kind: TroubleKind, minutes = 5, why?: Text): Pick<JobState, 'trouble'> {
  const since = jobNow - minutes * minuteMs;
  const reason = why === undefined ? {} : { why };
  return {
    trouble: { kind, since, lastedMs: minutes * minuteMs, tries: 1, nextTryAt: jobNow, ...reason },
  };
}

export function endOfJob(why: JobEnd['why'], code?: number): Pick<JobState, 'end'> {
  return { end: { code, why, at: undefined, isOutOfMemory: false } };
}

/** Outputs of which so many were not fetched. */
export function outputsOfJob(files: number, leftOut = 0): Pick<JobState, 'outputs' | 'fetchedAt'> {
  const named = leftOut === 0 ? {} : { named: [{ name: 'odd name', why: text('hostile') }] };
  return {
    outputs: { files, bytes: files * 1000, hash: 'h', areHashed: true, leftOut, ...named },
    fetchedAt: jobNow,
  };
}
