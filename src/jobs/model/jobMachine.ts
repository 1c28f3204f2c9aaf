import type { Place } from '../../util/realPlace';
import type { JobCheck, JobOrder, JobOutputs, JobThere, LeftOutput } from './onMachine';

/** Files to send: names below a folder on this computer. */
export interface SentTree {
  readonly root: Place;
  readonly names: readonly string[];
}

/** The bytes of a transfer; bytes that were already there count as moved. */
export interface MoveProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface MoveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: MoveProgress) => void;
}

export interface Moved {
  readonly files: number;
  readonly bytes: number;
  /** Empty only if everything was moved. */
  readonly leftOut: readonly LeftOutput[];
  /** Why times or modes of what was moved could not be kept. */
  readonly notKept?: LeftOutput['why'] | undefined;
}

/**
 * A machine that runs jobs. Each call is one step that can be repeated after a lost answer: progress is read from the
 * folder of the job, and nothing is done twice. All reject with `TransferError` if the connection broke.
 */
export interface JobMachine {
  /** Creates the folder of the job. */
  begin(order: JobOrder, signal?: AbortSignal): Promise<void>;
  /**
   * Sends what changed since the last job of this workspace, and gives the job its own copy; without a tree the job
   * gets an empty folder. `leftOut` names files that changed during the transfer.
   */
  sync(order: JobOrder, tree: SentTree | undefined, options?: MoveOptions): Promise<Moved>;
  start(order: JobOrder, signal?: AbortSignal): Promise<'started' | 'already'>;
  check(id: string, offset: number, maxBytes: number, signal?: AbortSignal): Promise<JobCheck>;
  /** Asks the runner to end the job; `look` shows the end. */
  cancel(id: string, signal?: AbortSignal): Promise<void>;
  /** Extends the time of the script, in seconds from its start. Returns false if the machine is already ending it. */
  extend(id: string, seconds: number, signal?: AbortSignal): Promise<boolean>;
  /** Lists the outputs that the patterns name. */
  outputs(id: string, patterns: readonly string[], signal?: AbortSignal): Promise<JobOutputs>;
  /** Lists what the patterns match while the job runs. */
  checkpoint(id: string, patterns: readonly string[], signal?: AbortSignal): Promise<JobOutputs>;
  /**
   * Fetches the files into a local folder. Only an empty `leftOut` means that all of them arrived with the same
   * hashes.
   */
  fetch(id: string, list: JobOutputs, into: Place, options?: MoveOptions): Promise<Moved>;
  /** Marks on the machine that the outputs of this list are safe. */
  markFetched(id: string, hash: string, signal?: AbortSignal): Promise<void>;
  /** Returns the jobs that run or hold outputs on the machine, ordered from any computer. */
  jobsThere(signal?: AbortSignal): Promise<readonly JobThere[]>;
  /** Removes the folder of a job that does not run. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}

/** A stopped machine, from which files can only be read. */
export type StoppedMachine = Pick<JobMachine, 'check' | 'outputs' | 'fetch' | 'markFetched' | 'jobsThere'>;
