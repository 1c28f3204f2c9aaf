import type { Text } from '../../util/text';

/** A file that stays where it is, and why; as in `src/ssh/transfer.ts`, which the model may not know. */
export interface LeftHere {
  readonly name: string;
  readonly why: Text;
}

/** A folder of this computer that is kept on an instance. */
export interface MirroredFolder {
  readonly accountKey: string;
  readonly instanceId: number;
  /** When the contract of the instance began (Unix seconds): a number that is used again is another machine. */
  readonly contractStart: number;
  /** The real path of the folder here. */
  readonly local: string;
}

/** A file that is not the same on both sides; names are below the folder, with forward slashes. */
export interface DifferingFile {
  readonly name: string;
  /** `both` was changed on both sides since it was last the same, and waits for the user. */
  readonly change: 'new' | 'changed' | 'gone' | 'both';
  /** Bytes on the instance; `undefined` where it is gone there. */
  readonly size: number | undefined;
}

/** What the engine asks before it goes on; nothing is deleted until it is answered. */
export interface MirrorQuestion {
  readonly kind: 'deletes' | 'size';
  /** Files that would be deleted or sent. */
  readonly files: number;
  readonly bytes: number;
  readonly names: readonly string[];
}

/** Everything that rows and status say of a mirrored folder. */
export interface MirrorStatus {
  /** When both sides were last compared and the same (ms since 1970). */
  readonly inStepAt: number | undefined;
  /** Files that are not sent yet. */
  readonly waiting: number;
  readonly isWorking: boolean;
  /** Since when the instance could not be reached (ms since 1970). */
  readonly offlineSince: number | undefined;
  /** What was changed there, and what on both sides. */
  readonly differing: readonly DifferingFile[];
  /** What stays here, and why. */
  readonly leftOut: readonly LeftHere[];
  readonly question: MirrorQuestion | undefined;
  /** Why what waits could not be sent, though the instance was reached or the folder here could not be read. */
  readonly problem?: Text | undefined;
}

/** The mirror of one folder: sends what changes here, lists what changes there, and never loses what it did not send. */
export interface FolderMirror {
  readonly folder: MirroredFolder;
  /** The folder on the instance, absolute there, as a raw path; known after the first contact. */
  readonly remote: string | undefined;
  readonly status: MirrorStatus;
  onDidChange(listener: () => void): { dispose(): void };
  /** Names that the editor saw change; without names, everything is compared. Returns at once. */
  touched(names?: readonly string[]): void;
  /** Compares and sends until nothing waits. Rejects where the instance can't be reached; conflicts stay in the status. */
  settle(signal?: AbortSignal): Promise<MirrorStatus>;
  /**
   * Answers the question that the user saw, by default `status.question`; `false` leaves those files as they are there and
   * forgets them.
   */
  answer(isAllowed: boolean, question?: MirrorQuestion): void;
  /** Brings files from the instance. Never over an edit here: such files stay `both`. */
  fetch(names: readonly string[], signal?: AbortSignal): Promise<readonly LeftHere[]>;
  /** Resolves files that were changed on both sides; the other version is kept beside the mirror for a while. */
  keep(names: readonly string[], side: 'here' | 'instance', signal?: AbortSignal): Promise<void>;
  /** The content on the instance, to compare. */
  read(name: string, signal?: AbortSignal): Promise<Uint8Array>;
}

/** All folders that are kept on instances of the active account. */
export interface FolderMirrors {
  /** Fires when a folder was begun or ended, and when another account became active. */
  onDidChange(listener: () => void): { dispose(): void };
  /** Settles once `all` is of the active account. */
  readonly ready: Promise<void>;
  readonly all: readonly FolderMirror[];
  /** Keeps a folder on an instance from now on; returns the known mirror if there is one. Sends nothing by itself. */
  begin(folder: MirroredFolder): Promise<FolderMirror>;
  /** Forgets what was sent. Nothing is deleted on either side. */
  end(folder: MirroredFolder): Promise<void>;
}
