import type { Text } from '../../util/text';

/** A job as its machine gets it. Only `env` and `secrets` may hold what nobody else should read. */
export interface JobOrder {
  /** Hexadecimal; names the folder on the machine, so that one attempt has one id. */
  readonly id: string;
  readonly name: string;
  readonly attempt: number;
  /** The attempt before it on the same machine, by its id. */
  readonly previous?: string | undefined;
  /** Names the mirror of the workspace on the machine; hexadecimal. */
  readonly workspaceKey: string;
  /** Jobs of this machine that end first, by their ids. */
  readonly after: readonly string[];
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
  /** Without work for so long it counts as idle. */
  readonly idleSeconds?: number | undefined;
  /** The machine ends it once it is idle. */
  readonly endsIfIdle?: boolean | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Globs below the folder of the job, or absolute. */
  readonly outputs: readonly string[];
  /** When the machine will end, in seconds since 1970; told to the job. */
  readonly deadline?: number | undefined;
}

/** How far the folder of a job on its machine is. */
export type PhaseOnMachine = 'none' | 'synced' | 'waiting' | 'settingUp' | 'running' | 'ended';

export const endReasons = [
  'itself',
  'limit',
  /** No GPU worked and the log did not grow for as long as the file says. */
  'idle',
  'cancelled',
  /** The set-up failed, or took longer than its own limit. */
  'setup',
  'setupLimit',
  /** Its log took more than half of the free disk. */
  'log',
  /** The process is gone without a word: out of memory, or killed by hand. */
  'killed',
  /** The same after the container started again. */
  'interrupted',
  /** Its folder is gone, as from a container that was created again. */
  'gone',
] as const;

export interface JobEnd {
  /** The exit code of the process itself; `undefined` where the machine could not write it down. */
  readonly code: number | undefined;
  readonly why: (typeof endReasons)[number];
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
  /** How long its script has done nothing; absent where no limit was named for that. */
  readonly idleSeconds?: number | undefined;
}

/** What one look at the machine shows. */
export interface JobLook {
  readonly phase: PhaseOnMachine;
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

/** An output that was not brought. */
export interface LeftOutput {
  readonly name: string;
  readonly why: Text;
}

export interface JobOutputs {
  readonly files: readonly JobOutput[];
  /** Names that no fetch will bring, with the reason. */
  readonly leftOut: readonly LeftOutput[];
  /** SHA-256 of the list as it is on the machine, for `markFetched`. */
  readonly hash: string;
  /** False where the machine has nothing to hash with: only sizes are compared then. */
  readonly areHashed: boolean;
}

/** A job that has its folder on a machine, whoever ordered it. */
export interface JobThere {
  /** Of its last attempt. */
  readonly id: string;
  readonly name: string;
  /** Otherwise it has ended, and its outputs were not fetched. */
  readonly isAtWork: boolean;
}
