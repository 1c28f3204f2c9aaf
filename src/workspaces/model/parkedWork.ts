/** How much of a transfer is done. */
export interface Moved {
  readonly bytes: number;
  readonly totalBytes: number;
}

/** What is done with the files of one set, on a machine and on this computer. */
export interface ParkedWork {
  /** Lists the files of the folder with their hashes, and keeps the list. */
  list(signal: AbortSignal): Promise<{ readonly files: number; readonly bytes: number }>;
  /** Fetches what is missing here; a file that is wrong twice is named by an error. */
  fetch(onMoved: (moved: Moved) => void, signal: AbortSignal): Promise<void>;
  /** Returns the names of listed files that are missing or wrong here, without a machine. */
  lacking(signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the names of files that changed on the machine since they were listed. */
  changed(signal: AbortSignal): Promise<readonly string[]>;
  /** Sends everything to a machine, proves it there, and returns the folder. */
  place(onMoved: (moved: Moved) => void, signal: AbortSignal): Promise<{ readonly root: string }>;
}
