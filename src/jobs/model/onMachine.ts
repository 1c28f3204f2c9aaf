import type { Text } from '../../util/text';

/** A job in the form for its machine. Only `env` and `secrets` may hold confidential values. */
export interface JobOrder {
  /** Names the folder on the machine; hexadecimal. Each attempt has its own id. */
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  /** The id of the previous attempt on the same machine. */
  readonly previous?: string | undefined;
  /** Names the mirror of the workspace on the machine; hexadecimal. */
  readonly workspaceKey: string;
  /** The ids of jobs that it waits for, as far as this computer knows: the machine checks that itself. */
  readonly after: readonly string[];
  /** The text of the script. */
  readonly run: string;
  readonly setup?: string | undefined;
  /** The fingerprint of the set-up, hexadecimal. A machine skips a set-up that it has already completed. */
  readonly setupKey?: string | undefined;
  readonly setupSeconds: number;
  /** Counted by the machine's uptime from the start of `run`. */
  readonly limitSeconds: number;
  /** Seconds between the request to end and the forced end. */
  readonly graceSeconds: number;
  /** Seconds without work after which the job counts as idle. */
  readonly idleSeconds?: number | undefined;
  /** True if the machine ends the job once it is idle. */
  readonly endsIfIdle?: boolean | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Globs relative to the folder of the job, or absolute. */
  readonly outputs: readonly string[];
}

/** The progress of a job as shown by its folder on the machine. */
export type PhaseOnMachine = 'none' | 'synced' | 'waiting' | 'settingUp' | 'running' | 'ended';

export const endReasons = [
  'itself',
  'limit',
  /** No GPU worked and the log did not grow for as long as the file allows. */
  'idle',
  'cancelled',
  /** The set-up failed, or exceeded its own time limit. */
  'setup',
  'setupLimit',
  /** Its log filled more than half of the free disk. */
  'log',
  /** The process is gone without an exit code: out of memory, or killed manually. */
  'killed',
  /** The same after the container was started again. */
  'interrupted',
  /** Its folder is gone, for example after the container was created again. */
  'gone',
] as const;

export interface JobEnd {
  /** The exit code of the process; `undefined` if the machine could not store it. */
  readonly code: number | undefined;
  readonly why: (typeof endReasons)[number];
  /** Seconds since 1970 by the machine's clock; `undefined` if no time was stored. */
  readonly at: number | undefined;
  /** True if a process was ended by the container's memory limit since the job started. */
  readonly isOutOfMemory: boolean;
}

/** The machine's heartbeat, every 15 seconds. */
export interface JobBeat {
  readonly at: number;
  readonly logSize: number;
  readonly freeKb: number;
  /** The mean of all GPUs. */
  readonly gpuPercent?: number | undefined;
  /** How long the script has been idle; absent if the job has no idle limit. */
  readonly idleSeconds?: number | undefined;
}

/** How many seconds ago parts of a job began, by the clock of its machine; absent if it did not note them. */
export interface JobAgo {
  /** Its set-up, or its script if it has none; not while it waits for other jobs. */
  readonly work?: number | undefined;
  readonly script?: number | undefined;
  /** Its end, or its last heartbeat if it ended without a report. */
  readonly end?: number | undefined;
}

/** What one check of the machine shows. */
export interface JobCheck {
  readonly phase: PhaseOnMachine;
  /** Set once the phase is `ended`, and if the process is gone without an exit code. */
  readonly end?: JobEnd | undefined;
  readonly beat?: JobBeat | undefined;
  readonly ago?: JobAgo | undefined;
  readonly log: {
    /** The end of the piece: the offset for the next check. Bytes between the last one and the piece are gone. */
    readonly offset: number;
    readonly piece: Buffer;
  };
  readonly pidAlive: boolean;
  /** True once the machine has listed and hashed the outputs; before that, they may still change. */
  readonly hasOutputsList: boolean;
}

/** A file of the machine that an output pattern names. */
export interface JobOutput {
  /** Relative to the folder of the job, or absolute if the pattern was. */
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** `undefined` for links, and if the machine has no program to compute it. */
  readonly sha256?: string | undefined;
  /** Set if only its owner can read it on the machine. */
  readonly isPrivate?: true;
}

/** An output that was not fetched. */
export interface LeftOutput {
  readonly name: string;
  readonly why: Text;
}

export interface JobOutputs {
  readonly files: readonly JobOutput[];
  /** Folders of these that only their owner can read on the machine. */
  readonly privateFolders?: readonly string[] | undefined;
  /** Files that can't be fetched, with the reason. */
  readonly leftOut: readonly LeftOutput[];
  /** SHA-256 of the list as stored on the machine, for `markFetched`. */
  readonly hash: string;
  /** False if the machine has no program to compute hashes, so only sizes are compared. */
  readonly areHashed: boolean;
}

/** A job that has a folder on the machine, regardless of who ordered it. */
export interface JobThere {
  /** The id of its last attempt. */
  readonly id: string;
  readonly name: string;
  /** False if it has ended and its outputs were not fetched. */
  readonly isAtWork: boolean;
}
