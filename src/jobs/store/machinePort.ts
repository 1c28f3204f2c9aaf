import type { JobLook, JobOrder, JobOutputs, JobThere, LeftOutput } from '../model/onMachine';
import type { Place } from '../../util/realPlace';

/** Reports the bytes of a transfer; bytes that were already there count as moved. */
export type OnMoved = (bytes: number, totalBytes: number) => void;

/** Files to send: names below a folder on this computer. */
export interface SentTree {
  readonly root: Place;
  readonly names: readonly string[];
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
 * A machine that runs jobs, as the runner needs it. Each call can be repeated after a lost answer without doing
 * anything twice.
 */
export interface MachinePort {
  begin(order: JobOrder, signal: AbortSignal): Promise<unknown>;
  /** Sends the files; without a tree the job gets an empty folder. */
  sync(order: JobOrder, tree: SentTree | undefined, signal: AbortSignal, onMoved?: OnMoved): Promise<Moved>;
  start(order: JobOrder, signal: AbortSignal): Promise<unknown>;
  look(id: string, offset: number, maxBytes: number, signal: AbortSignal): Promise<JobLook>;
  cancel(id: string, signal: AbortSignal): Promise<unknown>;
  /** Extends the time of the script, in seconds from its start. Returns false if the machine is already ending it. */
  extend(id: string, seconds: number, signal: AbortSignal): Promise<boolean>;
  /** Lists the outputs that the patterns name. */
  outputs(id: string, patterns: readonly string[], signal: AbortSignal): Promise<JobOutputs>;
  /** Lists what the patterns match while the job runs. */
  checkpoint(id: string, patterns: readonly string[], signal: AbortSignal): Promise<JobOutputs>;
  fetch(id: string, list: JobOutputs, into: Place, signal: AbortSignal, onMoved?: OnMoved): Promise<Moved>;
  markFetched(id: string, hash: string, signal: AbortSignal): Promise<unknown>;
  /** Returns the jobs that run or hold outputs on the machine, whoever ordered them. */
  jobsThere(signal: AbortSignal): Promise<readonly JobThere[]>;
  remove(id: string, signal: AbortSignal): Promise<unknown>;
}

/** The calls that work on a stopped machine, from which files can only be read. */
export type StoppedMachinePort = Pick<
  MachinePort,
  'look' | 'outputs' | 'fetch' | 'markFetched' | 'jobsThere'
>;
