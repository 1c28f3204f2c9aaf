import type { Text } from '../../util/text';
import type { Micros } from '../money';
import type { JobSpec, MachineEnd, MachineEnds } from './jobSpec';
import type { LossCause } from './machineLoss';
import type { JobEnd, JobThere, LeftOutput } from './onMachine';

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
  /** The window that rents for this job and for others at once: until it is done, what came of the rental is not final. */
  readonly by?: string | undefined;
}

/** What the user ordered, and what the user said of it since. Only the user's own actions change it. */
export interface Job {
  /** Sixteen lower-case hexadecimal digits. */
  readonly id: string;
  readonly spec: JobSpec;
  /** The folder that is open in the editor. */
  readonly workspace: string;
  /** Names the workspace on machines; hexadecimal. */
  readonly workspaceKey: string;
  readonly commit?: { readonly hash: string; readonly isDirty: boolean } | undefined;
  /** A fingerprint of the set-up and of what it reads; absent without a set-up. */
  readonly setupKey?: string | undefined;
  /** The instance that the user chose, or the offer that was confirmed, which has no number. */
  readonly machine: ConfirmedMachine;
  /** The machine is rented for this job; the marker was noted before the request left. */
  readonly rental?: JobRental | undefined;
  /** What the user confirmed, whatever the file says. */
  readonly ends: MachineEnds;
  /** Where the outputs go; a whole path. */
  readonly outputsTo: string;
  /** Milliseconds since 1970. */
  readonly orderedAt: number;
  readonly stopAt?: number | undefined;
  /** When the user last raised the limits of `spec`. */
  readonly extendedAt?: number | undefined;
  /** The user asked to try again at once what failed. */
  readonly retryAt?: number | undefined;
  /** The user ended a fetch; it goes on once `retryAt` is later. */
  readonly fetchPausedAt?: number | undefined;
  /** The user chose to fetch from the machine while it is stopped. */
  readonly copyAt?: number | undefined;
  /** Said while or after the job ran; counts instead of `ends`. */
  readonly machineEnd?: MachineEnd | undefined;
}

export type JobPhase =
  | 'queued'
  /** What became of the request to rent is not known yet. */
  | 'renting'
  /** The instance exists and costs money. */
  | 'gettingReady'
  | 'connecting'
  | 'syncing'
  | 'starting'
  /** Ordered on the machine, where it waits until the jobs before it have ended. */
  | 'waiting'
  | 'settingUp'
  | 'running'
  /** The command has ended; its log is read to the end. */
  | 'ended'
  | 'fetching'
  /** The outputs are here, and what happens to the machine is decided. */
  | 'fetched'
  /** The user may still keep the machine. */
  | 'keeping'
  | 'releasing'
  /** Nothing is left to do. */
  | 'over';

/** What keeps a job from going on; it is tried again. */
export type TroubleKind =
  | 'unreachable'
  /** The disk of this computer refuses what the job writes or reads there. */
  | 'notSaved'
  /** The machine that was rented did not get ready: the user replaces it, or stops the job. */
  | 'notReady'
  /** Its machine is lost, and none was rented in its place yet. */
  | 'notReplaced'
  | 'machineStopped'
  | 'sync'
  | 'fetch'
  /** The user ended the fetch. */
  | 'fetchPaused'
  /** The patterns name nothing, or something that can't be fetched: the machine is not ended without the user's word. */
  | 'incomplete'
  /** The machine holds jobs that this computer did not order. */
  | 'othersThere'
  /** The machine is kept, and what would stop it without an editor could not be ended there. */
  | 'guard'
  | 'release';

export interface JobTrouble {
  readonly kind: TroubleKind;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** How long it has lasted while a window tried (ms), whatever happened to the time of day. */
  readonly lastedMs: number;
  readonly why?: Text | undefined;
  readonly tries: number;
  /** Milliseconds since 1970. */
  readonly nextTryAt: number;
}

/** How a job that is over ended, beside what its command did. */
export type Outcome =
  /** Canceled or refused before it was started on the machine. */
  | 'notStarted'
  | 'kept'
  | 'stopped'
  | 'destroyed'
  /** The machine ended before the outputs were here. */
  | 'lost';

/** How far a job has come; written by the window that leads. */
export interface JobState {
  readonly jobId: string;
  readonly phase: JobPhase;
  /** When the phase began; this and all other times in milliseconds since 1970. */
  readonly since: number;
  /** When this was last written. */
  readonly writtenAt?: number | undefined;
  /** Counted from 1; each has a folder of its own on its machine. */
  readonly attempt: number;
  /** Oldest first. */
  readonly attempts?: readonly PastAttempt[] | undefined;
  /** The first attempt on the machine that it is on now; 1 where it never left one. */
  readonly firstHere?: number | undefined;
  /** What the machines before cost, in time and money. */
  readonly before?: { readonly ms: number; readonly cost: Micros } | undefined;
  /** Since when the window that was to rent for it is gone and no rental was noted: from then on none may be sent. */
  readonly unrentedSince?: number | undefined;
  /** Its machine is lost for this reason, and another is rented in its place. */
  readonly leaving?: LossCause | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  /** When a checkpoint was last looked for. */
  readonly checkpointTriedAt?: number | undefined;
  /** What the rental turned out to be; counts instead of the confirmed one. */
  readonly machine?: MachineOfJob | undefined;
  /** When the machine stops itself at the latest, as it has proved; absent where it can't, or need not. */
  readonly guardedUntil?: number | undefined;
  /** When the machine first worked for it, which is what its cost counts from. */
  readonly beganAt?: number | undefined;
  /** When the script itself was first seen to run. */
  readonly startedAt?: number | undefined;
  /** What the machine was told to give the script, from its start. */
  readonly limitSeconds?: number | undefined;
  /** Jobs of its machine that this computer did not order, as they were last seen. */
  readonly others?: readonly JobThere[] | undefined;
  /** When they were last looked for. */
  readonly othersTriedAt?: number | undefined;
  /** What became of the last order to give it more. */
  readonly extension?: { readonly orderedAt: number; readonly isDone: boolean } | undefined;
  readonly endedAt?: number | undefined;
  readonly end?: JobEnd | undefined;
  /** Where the part of the log ends that is here, on the machine. */
  readonly logOffset: number;
  /** Bytes of the log that are here; less than the offset once the machine has rotated its log. */
  readonly logSize: number;
  readonly lastSeenAt?: number | undefined;
  readonly gpuPercent?: number | undefined;
  /** Since when it has done nothing, once that is longer than the file allows. */
  readonly idleSince?: number | undefined;
  readonly outputs?:
    | {
        readonly files: number;
        readonly bytes: number;
        readonly hash: string;
        readonly areHashed: boolean;
        /** Named in the list and not brought, with the reason. */
        readonly leftOut: number;
        /** The first of them; the log has all. */
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
  /** Why it was not started. */
  readonly why?: Text | undefined;
}

/** Files of a job on their way, in bytes. */
export interface JobMove {
  readonly way: 'sending' | 'fetching';
  readonly bytes: number;
  readonly totalBytes: number;
}

/** An attempt that ended so that another followed. */
export interface PastAttempt {
  /** Why another followed: `interrupted`, `machineLost`, or an exit code. */
  readonly cause: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly machine: string;
}

/** The newest checkpoint that is whole on this computer. */
export interface Checkpoint {
  /** When it was complete, in milliseconds since 1970. */
  readonly at: number;
  readonly files: number;
  /** Of its list on the machine. */
  readonly hash: string;
}

export interface JobRow {
  readonly job: Job;
  readonly state: JobState;
}

export function newJobState(job: Job): JobState {
  return { jobId: job.id, phase: 'queued', since: job.orderedAt, attempt: 1, logOffset: 0, logSize: 0 };
}

/** The attempt whose files this one may go on from, by its id: on the same machine, or as the checkpoint there. */
export function attemptBefore(job: Job, state: JobState): string | undefined {
  const { attempt, firstHere = 1, checkpoint } = state;
  const isThere = attempt > firstHere || (attempt > 1 && checkpoint !== undefined);
  return isThere ? attemptId(job, { ...state, attempt: attempt - 1 }) : undefined;
}

/** Where a job runs, as far as that is known. */
export function machineOf({ job, state }: JobRow): ConfirmedMachine {
  return state.machine ?? job.machine;
}

/** Names the folder of one attempt on its machine. */
export function attemptId({ id }: Job, { attempt }: Pick<JobState, 'attempt'>): string {
  return id + attempt.toString(16).padStart(2, '0');
}

/** The folders of a job on its machine: those of its attempts there, and that of a checkpoint that came with it. */
export function attemptIdsHere(job: Job, { attempt, firstHere = 1 }: JobState): readonly string[] {
  const first = Math.max(1, firstHere - 1);
  return Array.from({ length: attempt - first + 1 }, (_, index) =>
    attemptId(job, { attempt: first + index }),
  );
}

/** What is to happen to the machine of a job whose command has ended. */
export function machineEndOf({ job, state }: JobRow): MachineEnd {
  if (job.machineEnd) {
    return job.machineEnd;
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

const renting: readonly JobPhase[] = ['renting', 'gettingReady'];
const beforeStart: readonly JobPhase[] = ['queued', ...renting, 'connecting', 'syncing', 'starting'];

export function isRenting(phase: JobPhase): boolean {
  return renting.includes(phase);
}

/** Nothing of it runs or waits on the machine yet, as far as is known. */
export function isBeforeStart(phase: JobPhase): boolean {
  return beforeStart.includes(phase);
}

/** Jobs of one machine take turns in this order. */
export function isBefore(one: Job, other: Job): boolean {
  return one.orderedAt === other.orderedAt ? one.id < other.id : one.orderedAt < other.orderedAt;
}

/** The machine may be changed only by the job until then. */
export function isAtWork({ state }: Pick<JobRow, 'state'>): boolean {
  return [...beforeStart, 'waiting', 'settingUp', 'running'].includes(state.phase);
}

/** Its machine holds outputs that are not on this computer. */
export function hasUnfetched({ job, state }: JobRow): boolean {
  return (state.phase === 'ended' || state.phase === 'fetching') && job.spec.outputs.length > 0;
}

/** True for what no further try mends. */
export function waitsForYou(kind: TroubleKind): boolean {
  return kind === 'incomplete' || kind === 'fetchPaused' || kind === 'notReady';
}

/** It is in trouble that a further try may mend. */
export function isRetried(row: Pick<JobRow, 'state'>): boolean {
  const { trouble } = row.state;
  return trouble !== undefined && !isOver(row) && !waitsForYou(trouble.kind);
}

/** Its machine is stopped and may hold what it brought. */
export function isStranded(row: JobRow): boolean {
  const { job, state } = row;
  const { trouble } = state;
  const isKnown = trouble?.kind === 'machineStopped' || (trouble !== undefined && job.copyAt !== undefined);
  return isKnown && !isOver(row) && !isBeforeStart(state.phase);
}

/** The user has ended the fetch, and has not asked for it since. */
export function isFetchPaused({ fetchPausedAt, retryAt }: Job): boolean {
  return fetchPausedAt !== undefined && (retryAt ?? 0) <= fetchPausedAt;
}

/** A connection that fails for less than this is no news. */
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
