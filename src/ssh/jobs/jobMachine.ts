import type { JobLook, JobOrder, JobOutputs, JobThere } from '../../model/jobs/onMachine';
import type { LocalTree } from '../fileTree';
import type { TransferOptions, TransferOutcome } from '../transfer';

export type {
  JobBeat,
  JobEnd,
  JobLook,
  JobOrder,
  JobOutput,
  JobOutputs,
  PhaseOnMachine as JobPhase,
} from '../../model/jobs/onMachine';

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
  /** Gives the script more time, counted from its start in seconds. False where the machine ends it already. */
  extend(id: string, seconds: number, signal?: AbortSignal): Promise<boolean>;
  outputs(id: string, signal?: AbortSignal): Promise<JobOutputs>;
  /** What the patterns name now, while the job runs. */
  checkpoint(id: string, patterns: readonly string[], signal?: AbortSignal): Promise<JobOutputs>;
  /** Brings the files into a folder here. Only where `leftOut` is empty is all of it here, with the same hashes. */
  fetch(
    id: string,
    list: JobOutputs,
    intoFolder: string,
    options?: TransferOptions,
  ): Promise<TransferOutcome>;
  /** Tells the machine that the outputs of this list are safe. */
  markFetched(id: string, hash: string, signal?: AbortSignal): Promise<void>;
  /** The jobs that are at work there or hold outputs, whoever ordered them. */
  jobsThere(signal?: AbortSignal): Promise<readonly JobThere[]>;
  /** Removes the folder of a job that does not run. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
}
