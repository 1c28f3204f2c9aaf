import type { JobLook, JobOrder, JobOutputs, JobThere, LeftOutput } from '../../model/jobs/onMachine';

/** Bytes of a transfer; what was there before counts as done. */
export type OnMoved = (bytes: number, totalBytes: number) => void;

/** What is sent: names below a folder of this computer. */
export interface SentTree {
  readonly root: string;
  readonly names: readonly string[];
}

export interface Moved {
  readonly files: number;
  readonly bytes: number;
  /** Only where this is empty was all of it moved. */
  readonly leftOut: readonly LeftOutput[];
}

/**
 * One machine that runs jobs, as the runner needs it. Each call can be made again after a lost answer, and does
 * nothing twice.
 */
export interface MachinePort {
  begin(order: JobOrder, signal: AbortSignal): Promise<unknown>;
  /** Without a tree the job gets an empty folder. */
  sync(order: JobOrder, tree: SentTree | undefined, signal: AbortSignal, onMoved?: OnMoved): Promise<Moved>;
  start(order: JobOrder, signal: AbortSignal): Promise<unknown>;
  look(id: string, offset: number, maxBytes: number, signal: AbortSignal): Promise<JobLook>;
  cancel(id: string, signal: AbortSignal): Promise<unknown>;
  /** Gives the script more time, counted from its start in seconds. False where the machine ends it already. */
  extend(id: string, seconds: number, signal: AbortSignal): Promise<boolean>;
  outputs(id: string, signal: AbortSignal): Promise<JobOutputs>;
  /** What the patterns name now, while the job runs. */
  checkpoint(id: string, patterns: readonly string[], signal: AbortSignal): Promise<JobOutputs>;
  fetch(
    id: string,
    list: JobOutputs,
    intoFolder: string,
    signal: AbortSignal,
    onMoved?: OnMoved,
  ): Promise<Moved>;
  markFetched(id: string, hash: string, signal: AbortSignal): Promise<unknown>;
  /** The jobs that are at work there or hold outputs, whoever ordered them. */
  jobsThere(signal: AbortSignal): Promise<readonly JobThere[]>;
  remove(id: string, signal: AbortSignal): Promise<unknown>;
}

/** What can be done with the jobs of a machine that is stopped, from which only files come. */
export type StoppedMachinePort = Pick<MachinePort, 'look' | 'outputs' | 'fetch' | 'markFetched'>;
