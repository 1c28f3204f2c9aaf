import type { JobLook, JobOrder, JobOutputs, JobThere } from '../model/onMachine';
import type { Place } from '../../util/realPlace';
import type { LocalTree } from '../../ssh/fileTree';
import type { TransferOptions, TransferOutcome } from '../../ssh/transfer';

export type {
  JobBeat,
  JobEnd,
  JobLook,
  JobOrder,
  JobOutput,
  JobOutputs,
  PhaseOnMachine as JobPhase,
} from '../model/onMachine';

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
  sync(order: JobOrder, tree: LocalTree | undefined, options?: TransferOptions): Promise<TransferOutcome>;
  start(order: JobOrder, signal?: AbortSignal): Promise<'started' | 'already'>;
  look(id: string, offset: number, maxBytes: number, signal?: AbortSignal): Promise<JobLook>;
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
  fetch(id: string, list: JobOutputs, into: Place, options?: TransferOptions): Promise<TransferOutcome>;
  /** Tells the machine that the outputs of this list are safe. */
  markFetched(id: string, hash: string, signal?: AbortSignal): Promise<void>;
  /** Returns the jobs that run or hold outputs on the machine, whoever ordered them. */
  jobsThere(signal?: AbortSignal): Promise<readonly JobThere[]>;
  /** Removes the folder of a job that does not run. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}
