/** A file as it was when both sides were last the same. */
export interface InStep {
  /** SHA-256 of its bytes; of the target of a link with an `l` before it. */
  readonly hash: string;
  readonly isExecutable: boolean;
  /** What the disk here stated of it; empty where that proves nothing, because it may have changed in the same moment. */
  readonly local: string;
  /** The same of the instance, which is never compared with a time of this computer. */
  readonly there: string;
}

/** What was last sent of a folder. */
export interface MirrorMemory {
  /** By what the machine knows the mirror; another one after it was wiped. */
  readonly machineId: string;
  /** The folder on the instance. */
  readonly remote: string;
  /** The number of the folder here, which another disk or another folder of that name does not have. */
  readonly localId: string;
  readonly files: ReadonlyMap<string, InStep>;
  /** Large files that the user was asked about, and whether they are sent; `undefined` until the answer. */
  readonly large: ReadonlyMap<string, boolean | undefined>;
}

/** Hashes that a transfer that was cut off may have put in the place of a file; `-` where it may have deleted it. */
export type Attempts = ReadonlyMap<string, readonly string[]>;

/** What is kept of a mirror on this computer. */
export interface MirrorNotes {
  /** `undefined` where nothing is known: then nothing is deleted. */
  read(): Promise<MirrorMemory | undefined>;
  write(memory: MirrorMemory): Promise<void>;
  readAttempts(): Promise<Attempts>;
  /** On disk when it resolves, before the instance can do what it was asked. */
  writeAttempts(attempts: Attempts): Promise<void>;
  /** Runs the action while no other window of this computer works on the mirror. */
  alone<T>(action: () => Promise<T>): Promise<T>;
  /** A folder of this computer for what is being fetched, and for versions that were replaced. */
  readonly folder: string;
}
