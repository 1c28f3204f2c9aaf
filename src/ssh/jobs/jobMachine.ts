import type { LocalTree } from '../fileTree';
import type { LeftOut, TransferOptions, TransferOutcome } from '../transfer';

/** A job as its machine gets it. Only `env` and `secrets` may hold what nobody else should read. */
export interface JobOrder {
  /** Hexadecimal; names the folder on the machine, so that one attempt has one id. */
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  /** Names the mirror of the workspace on the machine; hexadecimal. */
  readonly workspaceKey: string;
  /** The text of the script. */
  readonly run: string;
  readonly setup?: string | undefined;
  /** Fingerprint of the set-up, hexadecimal. It is skipped on a machine that has finished one of this key. */
  readonly setupKey?: string | undefined;
  readonly setupSeconds: number;
  /** Counted by the machine's uptime from the start of `run`. */
  readonly limitSeconds: number;
  /** Between the request to end and the end by force. */
  readonly graceSeconds: number;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Globs below the folder of the job, or absolute. */
  readonly outputs: readonly string[];
  /** When the machine will end, in seconds since 1970; told to the job. */
  readonly deadline?: number | undefined;
}

export type JobPhase = 'none' | 'synced' | 'settingUp' | 'running' | 'ended';

export interface JobEnd {
  /** The exit code of the process itself; `undefined` where the machine could not write it down. */
  readonly code: number | undefined;
  readonly why:
    | 'itself'
    | 'limit'
    | 'cancelled'
    /** The set-up failed, or took longer than its own limit. */
    | 'setup'
    | 'setupLimit'
    /** Its log took more than half of the free disk. */
    | 'log'
    /** The process is gone without a word: out of memory, or killed by hand. */
    | 'killed'
    /** The same after the container started again. */
    | 'interrupted';
  /** Seconds since 1970 by the machine's clock; `undefined` where no time was written down. */
  readonly at: number | undefined;
  /** The memory limit of the container ended a process of it since the job started. */
  readonly isOutOfMemory: boolean;
}

/** A sign of life, every 15 seconds. */
export interface JobBeat {
  readonly at: number;
  readonly logSize: number;
  readonly freeKb: number;
  /** The mean of all GPUs. */
  readonly gpuPercent?: number | undefined;
}

/** What one look at the machine shows. */
export interface JobLook {
  readonly phase: JobPhase;
  /** Set once the phase is `ended`, and where the process is gone without an end. */
  readonly end?: JobEnd | undefined;
  readonly beat?: JobBeat | undefined;
  readonly log: {
    /** Where the piece ends: the offset for the next look. */
    readonly offset: number;
    readonly piece: Buffer;
    /** Bytes between the given offset and the piece are gone, because the log was rotated. */
    readonly isRotated: boolean;
  };
  readonly pidAlive: boolean;
  /** False where the container was started again since the job was. */
  readonly samePid1: boolean;
  /** The machine has listed and hashed the outputs; until then a fetch would be of what may still change. */
  readonly hasOutputsList: boolean;
}

/** A file of the machine that an output pattern names. */
export interface JobOutput {
  /** Below the folder of the job, or absolute where the pattern was. */
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** `undefined` for links, and where the machine has no program to make it. */
  readonly sha256?: string | undefined;
}

export interface JobOutputs {
  readonly files: readonly JobOutput[];
  /** Names that no fetch will bring, with the reason. */
  readonly leftOut: readonly LeftOut[];
  /** SHA-256 of the list as it is on the machine, for `markFetched`. */
  readonly hash: string;
  /** False where the machine has nothing to hash with: only sizes are compared then. */
  readonly areHashed: boolean;
}

/**
 * One machine that runs jobs. Each call is one step that can be made again after a lost answer: what was done is read
 * from the folder of the job, and nothing is done twice. All reject with `TransferError` where the connection broke.
 */
export interface JobMachine {
  /** Makes the folder of the job. */
  begin(order: JobOrder, signal?: AbortSignal): Promise<void>;
  /**
   * Sends what changed since the last job of this workspace, and gives the job a copy of its own; without a tree an
   * empty folder. Of what changed meanwhile, `leftOut` says so.
   */
  sync(order: JobOrder, tree: LocalTree | undefined, options?: TransferOptions): Promise<TransferOutcome>;
  start(order: JobOrder, signal?: AbortSignal): Promise<'started' | 'already'>;
  look(id: string, offset: number, maxBytes: number, signal?: AbortSignal): Promise<JobLook>;
  /** Asks the runner to end the job; the end shows in `look`. */
  cancel(id: string, signal?: AbortSignal): Promise<void>;
  outputs(id: string, signal?: AbortSignal): Promise<JobOutputs>;
  /** Brings the files into a folder here. Only where `leftOut` is empty is all of it here, with the same hashes. */
  fetch(
    id: string,
    list: JobOutputs,
    intoFolder: string,
    options?: TransferOptions,
  ): Promise<TransferOutcome>;
  /** Tells the machine that the outputs of this list are safe. */
  markFetched(id: string, hash: string, signal?: AbortSignal): Promise<void>;
  /** Removes the folder of a job that does not run. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}
