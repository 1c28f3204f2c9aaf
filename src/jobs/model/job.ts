import type { Micros } from '../../model/money';
import type { Text } from '../../util/text';
import type { JobSpec, MachineEnd, MachineEnds } from './jobSpec';
import type { LogNumbers } from './logNumbers';
import type { LossCause } from './nextAttempt';
import type { JobEnd, JobThere, LeftOutput } from './onMachine';
import type { Serves } from './serves';

interface ConfirmedMachine {
  readonly instanceId?: number | undefined;
  readonly name: string;
  readonly perHour?: Micros | undefined;
}

/** The instance that works for a job. */
export interface MachineOfJob extends ConfirmedMachine {
  readonly instanceId: number;
}

export interface JobRental {
  readonly marker: string;
  /** The window that sends several rentals for this and other jobs; until it is done, their results are not final. */
  readonly by?: string | undefined;
  /** No rental may be sent any more, for good: the user was told. */
  readonly isGivenUp?: boolean | undefined;
}

/** What the user decides about a job after its order. */
export const decisionKinds = [
  'stop',
  /** Raises the limits of `spec`. */
  'extend',
  /** Retries a failure at once. */
  'retry',
  /** Lasts until a later `retry`. */
  'pauseFetch',
  /** Fetches from the stopped machine. */
  'copy',
  /** Starts the stopped machine to fetch from it. */
  'start',
  /** Sets `machineEnd`. */
  'endMachine',
] as const;
export type DecisionKind = (typeof decisionKinds)[number];
/** When the user decided what (ms since 1970); each decision is later than those before it. */
export type Decisions = Readonly<Partial<Record<DecisionKind, number | undefined>>>;

/** What the user ordered and later decided. Only actions of the user change it, and the end of a rental that never was. */
export interface Job {
  /** Sixteen lower-case hexadecimal digits. */
  readonly id: string;
  readonly spec: JobSpec;
  /** The folder that is open in the editor. */
  readonly workspace: string;
  /** Identifies the workspace on machines; hexadecimal. */
  readonly workspaceKey: string;
  readonly commit?: { readonly hash: string; readonly isDirty?: boolean } | undefined;
  /** A fingerprint of the set-up and its inputs; absent without a set-up. */
  readonly setupKey?: string | undefined;
  /** The chosen instance, or the confirmed offer, which has no number. */
  readonly machine: ConfirmedMachine;
  /** Set if the machine is rented for this job; the marker was stored before the request left. */
  readonly rental?: JobRental | undefined;
  /** What the user confirmed, regardless of the file. */
  readonly ends: MachineEnds;
  /** The absolute path of the folder for the outputs. */
  readonly outputsTo: string;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  readonly decidedAt: Decisions;
  /** The most bytes that the user agreed to fetch at once; less needs no question. */
  readonly fetchBytes?: number | undefined;
  readonly reopen?: Reopen | undefined;
  /** The user's decision during or after the run; overrides `ends`. */
  readonly machineEnd?: MachineEnd | undefined;
  /** Set if an agent asked for it: what it calls itself, and its request, to which the user agreed. */
  readonly agent?: { readonly name: string; readonly request: string } | undefined;
  /** Set if it serves a model, which the models wing shows and ends. */
  readonly serves?: Serves | undefined;
}

export const jobPhases = [
  'queued',
  /** The rental is not confirmed yet. */
  'renting',
  /** The instance exists and costs money. */
  'gettingReady',
  'connecting',
  'syncing',
  'starting',
  /** The machine has the order and waits for earlier jobs to end. */
  'waiting',
  'settingUp',
  'running',
  /** The command has ended; the rest of its log is being read. */
  'ended',
  'fetching',
  /** The outputs are on this computer; the end of the machine is being decided. */
  'fetched',
  /** The user may still keep the machine. */
  'keeping',
  'releasing',
  /** Nothing is left to do. */
  'over',
] as const;
export type JobPhase = (typeof jobPhases)[number];

/** What keeps a job from continuing; it is retried. */
export const troubleKinds = [
  'unreachable',
  /** The machine answers, but can't do what the job needs next. */
  'machineFails',
  /** The disk of this computer refuses what the job writes or reads there. */
  'notSaved',
  /** The machine that was rented did not get ready: the user replaces it, or stops the job. */
  'notReady',
  /** Its machine is lost, and no replacement is rented yet. */
  'notReplaced',
  'machineStopped',
  'sync',
  'fetch',
  /** The user paused fetching. */
  'fetchPaused',
  /** The outputs are large or dear, or this computer lacks the room, so the user decides before they are fetched. */
  'largeOutputs',
  /** The patterns match no files, or files that can't be fetched. The user decides about the machine. */
  'incomplete',
  /** The machine holds jobs that this computer did not order. */
  'othersThere',
  /** The machine is kept, but the guard that would stop it could not be ended. */
  'guard',
  'release',
] as const;
export type TroubleKind = (typeof troubleKinds)[number];

export interface JobTrouble {
  readonly kind: TroubleKind;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** How long it has lasted while a window tried (ms), independent of the time of day. */
  readonly lastedMs: number;
  readonly why?: Text | undefined;
  /** The bytes that the user decides about. */
  readonly bytes?: number | undefined;
  readonly tries: number;
  /** Milliseconds since 1970. */
  readonly nextTryAt: number;
}

/** What happened to the machine of a finished job, apart from the result of its command. */
export type Outcome =
  /** Canceled or refused before its command was started. */
  | 'notStarted'
  | 'kept'
  | 'stopped'
  | 'destroyed'
  /** The machine ended before its outputs were fetched. */
  | 'lost'
  /** The progress of the job was lost, so its machine may still run and cost money. */
  | 'unknown';

/** The progress of a job; written by the leading window. */
export interface JobState {
  readonly jobId: string;
  readonly phase: JobPhase;
  /** When the phase began. All times here are in milliseconds since 1970. */
  readonly since: number;
  /** When this was last written. */
  readonly writtenAt?: number | undefined;
  /** Counted from 1; each has a folder of its own on its machine. */
  readonly attempt: number;
  /** Oldest first. */
  readonly attempts?: readonly PastAttempt[] | undefined;
  /** The first attempt on the present machine; 1 if the job never changed machines. */
  readonly firstHere?: number | undefined;
  /** The time (ms) and cost of earlier machines, of attempts before the present one waited for other jobs, and of traffic. */
  readonly before?: { readonly ms: number; readonly cost: Micros } | undefined;
  /** Since when no rental may be sent for this job: its window was gone before any rental was stored. */
  readonly unrentedSince?: number | undefined;
  /** Why its machine is lost while a replacement is being rented. */
  readonly leaving?: LossCause | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  /** Why the last checkpoint is not on this computer, and since when. `mayPass` until a second one was not whole. */
  readonly checkpointProblem?:
    | {
        readonly since: number;
        readonly why: Text;
        readonly mayPass?: boolean | undefined;
        /** The bytes that the user decides about. */
        readonly bytes?: number | undefined;
      }
    | undefined;
  /** When a checkpoint was last checked for. */
  readonly checkpointTriedAt?: number | undefined;
  /** The rented machine; overrides the confirmed one. */
  readonly machine?: MachineOfJob | undefined;
  /** When the machine stops itself at the latest, as it has proved; absent if it can't or need not. */
  readonly guardedUntil?: number | undefined;
  /** When the machine first worked for the job; its cost counts from here. */
  readonly beganAt?: number | undefined;
  /** When the script was first seen running. */
  readonly startedAt?: number | undefined;
  /** The run time that the machine gives the script, in seconds from its start. */
  readonly limitSeconds?: number | undefined;
  /** A higher price of the machine that one list has stated, and when that was read. */
  readonly dearer?: { readonly perHour: Micros; readonly listedAt: number } | undefined;
  /** The price of the machine has risen since that time was sent to it. */
  readonly isTimeOld?: boolean | undefined;
  /** Jobs on the machine that this computer did not order, as last seen. */
  readonly others?: readonly JobThere[] | undefined;
  /** When they were last checked. */
  readonly othersTriedAt?: number | undefined;
  /** The result of the last request to extend the job. */
  readonly extension?: { readonly orderedAt: number; readonly isDone: boolean } | undefined;
  readonly endedAt?: number | undefined;
  readonly end?: JobEnd | undefined;
  /** The offset in the machine's log up to which this computer has read. */
  readonly logOffset: number;
  /** Bytes of the log on this computer; less than the offset once the machine has rotated its log. */
  readonly logSize: number;
  readonly lastSeenAt?: number | undefined;
  readonly gpuPercent?: number | undefined;
  /** What its log last said of its progress. */
  readonly numbers?: LogNumbers | undefined;
  /** Since when the job is idle, once that is longer than its file allows. */
  readonly idleSince?: number | undefined;
  readonly outputs?:
    | {
        readonly files: number;
        readonly bytes: number;
        readonly hash: string;
        readonly areHashed: boolean;
        /** The number of listed outputs that were not fetched. */
        readonly leftOut: number;
        /** The first of them; the log names all. */
        readonly named?: readonly LeftOutput[] | undefined;
      }
    | undefined;
  readonly fetchedAt?: number | undefined;
  /** The user's last word for a fetch, when it was done. */
  readonly fetchedFor?: number | undefined;
  readonly keepUntil?: number | undefined;
  readonly cancelSentAt?: number | undefined;
  readonly trouble?: JobTrouble | undefined;
  readonly outcome?: Outcome | undefined;
  readonly reopened?: Reopened | undefined;
  /** The file of its progress was damaged or missing, so its earlier time and cost are unknown. */
  readonly isLost?: boolean | undefined;
  /** Where that file is kept, if it was damaged. */
  readonly setAside?: string | undefined;
  /** Why the job was not started, or is not continued. */
  readonly why?: Text | undefined;
}

/** A transfer of a job's files, in bytes. */
export interface JobMove {
  readonly way: 'sending' | 'fetching';
  readonly bytes: number;
  readonly totalBytes: number;
}

/** The newest complete checkpoint on this computer. */
export interface Checkpoint {
  /** When it was complete, in milliseconds since 1970. */
  readonly at: number;
  readonly files: number;
  /** The hash of its list on the machine. */
  readonly hash: string;
}

export interface JobRow {
  readonly job: Job;
  readonly state: JobState;
}

export function newJobState(job: Job): JobState {
  return { jobId: job.id, phase: 'queued', since: job.orderedAt, attempt: 1, logOffset: 0, logSize: 0 };
}

/** Returns the machine of a job, as far as it is known. */
export function machineOf({ job, state }: JobRow): ConfirmedMachine {
  return state.machine ?? job.machine;
}

/** Returns what happens to the machine after the job's command has ended. */
export function machineEndOf({ job, state }: JobRow): MachineEnd {
  if (job.machineEnd) {
    return job.machineEnd;
  }
  if (state.reopened && state.phase !== 'over') {
    return job.reopen?.isStarted ? 'stop' : 'keep';
  }
  const { end } = state;
  if (end?.why === 'limit' || end?.why === 'setupLimit') {
    return job.ends.limit;
  }
  if (end?.why === 'idle') {
    return job.ends.idle ?? 'keep';
  }
  return end?.why === 'itself' && end.code === 0 ? job.ends.success : job.ends.failure;
}

export function isOver({ state }: Pick<JobRow, 'state'>): boolean {
  return state.phase === 'over';
}

const toldForMs = 86_400_000;

/** Returns until when who asks for the model that a job serves gets it, or the reason why it ended (ms since 1970). */
export function servedUntil(row: Pick<JobRow, 'state'>): number {
  return isOver(row) ? row.state.since + toldForMs : Infinity;
}

const renting: readonly JobPhase[] = ['renting', 'gettingReady'];
const beforeStart: readonly JobPhase[] = ['queued', ...renting, 'connecting', 'syncing', 'starting'];

export function isRenting(phase: JobPhase): boolean {
  return renting.includes(phase);
}

/** Returns whether nothing of the job runs or waits on the machine yet, as far as known. */
export function isBeforeStart(phase: JobPhase): boolean {
  return beforeStart.includes(phase);
}

/** Returns whether something of the job may be on the machine: the answer to the order to start can be lost. */
export function mayHaveStarted(phase: JobPhase): boolean {
  return phase === 'starting' || !isBeforeStart(phase);
}

/** Orders the jobs of one machine. */
export function isBefore(one: Job, other: Job): boolean {
  return one.orderedAt === other.orderedAt ? one.id < other.id : one.orderedAt < other.orderedAt;
}

/** Returns whether only the job may change its machine. */
export function isAtWork({ state }: Pick<JobRow, 'state'>): boolean {
  return [...beforeStart, 'waiting', 'settingUp', 'running'].includes(state.phase);
}

/** Returns whether the machine holds outputs that are not on this computer. */
export function hasUnfetched({ job, state }: JobRow): boolean {
  return (state.phase === 'ended' || state.phase === 'fetching') && job.spec.outputs.length > 0;
}

/** Returns whether outputs of a job that is over may exist only on its machine. */
export function lacksOutputs({ job, state }: JobRow): boolean {
  const isWhole = state.fetchedAt !== undefined && (state.outputs?.leftOut ?? 0) === 0;
  return state.startedAt !== undefined && job.spec.outputs.length > 0 && !isWhole;
}

/** Returns whether no retry can resolve the trouble without the user. */
export function waitsForYou(kind: TroubleKind): boolean {
  return ['incomplete', 'fetchPaused', 'largeOutputs', 'notReady'].includes(kind);
}

/** It is in trouble that a further try may mend. */
export function isRetried(row: Pick<JobRow, 'state'>): boolean {
  const { trouble } = row.state;
  return trouble !== undefined && !isOver(row) && !waitsForYou(trouble.kind);
}

/** Returns whether its machine is stopped and may hold outputs. */
export function isStranded(row: JobRow): boolean {
  const { job, state } = row;
  const { trouble } = state;
  const isKnown =
    trouble?.kind === 'machineStopped' || (trouble !== undefined && job.decidedAt.copy !== undefined);
  return isKnown && !isOver(row) && mayHaveStarted(state.phase);
}

/** A connection that fails for less than this is not reported (ms). */
const newsAfterMs = 2 * 60_000;

/** True where the job waits for the user, or for what the user should know of. */
export function needsYou({ state }: Pick<JobRow, 'state'>): boolean {
  const { trouble } = state;
  if (!trouble || state.phase === 'over') {
    return false;
  }
  return (
    waitsForYou(trouble.kind) ||
    trouble.kind === 'release' ||
    trouble.kind === 'machineStopped' ||
    trouble.kind === 'notReplaced' ||
    trouble.kind === 'othersThere' ||
    trouble.lastedMs >= newsAfterMs
  );
}

/** The user's decision to fetch the outputs of a job that is over. */
export interface Reopen {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** When the end began that the user saw; the decision has no effect on another end. */
  readonly since: number;
  /** The machine was started for the fetch, as confirmed, and is stopped again afterwards. */
  readonly isStarted?: boolean | undefined;
  /** The machine, if the job itself no longer knows it. */
  readonly machine?: MachineOfJob | undefined;
}

/** The last fetch of outputs that the user asked for once the job was over. */
export interface Reopened {
  /** When the user asked (ms since 1970). */
  readonly at: number;
  /** What had happened to the machine, and when outputs had been fetched (ms since 1970). */
  readonly outcome: Outcome;
  readonly fetchedAt?: number | undefined;
  readonly isFetched?: boolean | undefined;
  /** Why nothing was fetched. */
  readonly why?: Text | undefined;
}

/** An attempt that was followed by another one. */
export interface PastAttempt {
  /** Why another attempt followed: `interrupted`, `machineLost`, or an exit code. */
  readonly cause: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly machine: string;
  /** The result of its command, if it ended there. */
  readonly end?: JobEnd | undefined;
  readonly startedAt?: number | undefined;
}
