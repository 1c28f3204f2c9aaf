import type { Carried, CarryStep, ParkedProgress } from './parkedSet';

/** What is done with the files of one set, on a machine and on this computer. */
export interface ParkedWork {
  /** Lists the files of the folder with their hashes, and keeps the list. */
  list(signal: AbortSignal): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Fetches what is missing here. Returns the names of files that were not as listed, twice. */
  fetch(onMoved: (moved: ParkedProgress) => void, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns the names of listed files that are missing or wrong here, without a machine. With `isFetchedAgain`, the next
   * `fetch` mends them.
   */
  lacking(signal: AbortSignal, isFetchedAgain?: boolean): Promise<readonly string[]>;
  /** Returns the names of files that changed on the machine since they were listed. */
  changed(signal: AbortSignal): Promise<readonly string[]>;
  /** Has a timer on the machine wait some minutes longer, for what the service copies from there. */
  hold(signal: AbortSignal): Promise<void>;
  /** Makes a place on a machine for what the service copies there, looks at it, or drops it. */
  carry(step: CarryStep, signal: AbortSignal): Promise<Carried>;
  /** Sends everything to a machine, proves it there, and returns the folder. */
  place(onMoved: (moved: ParkedProgress) => void, signal: AbortSignal): Promise<{ readonly root: string }>;
}
