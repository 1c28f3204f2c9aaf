/** An instance in the account in which the user chose it. */
export interface HeldTarget {
  readonly instanceId: number;
  readonly accountKey: string;
}

/** The same with the alias by which a login has reached it. */
export interface HeldAlias extends HeldTarget {
  readonly alias: string;
}

/** The same for what is to be reached: without a login, or by a terminal, which follows all lines of the user's config. */
export interface WantedEntry extends HeldTarget {
  readonly isEntryOnly?: boolean | undefined;
  readonly isForTerminal?: boolean | undefined;
}

/** A folder of this computer and an instance that may have it. */
export interface FolderTarget extends HeldTarget {
  readonly folder: string;
}

/** The host name of a workspace, and the instance that it is to lead to. */
export interface NamedHost {
  readonly instanceId: number;
  readonly host: string;
  /** The instance that the name may be taken from. */
  readonly oldId: number;
}

/** A folder of an instance. */
export interface RemoteFolder {
  readonly instanceId: number;
  readonly folder: string;
}
