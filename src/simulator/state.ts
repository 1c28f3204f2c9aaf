import type { MachineManner } from './login/manners';

/** Everything the simulator remembers: plain JSON. Times are Unix seconds, money is dollars. */
export interface WorldState {
  version: 1;
  seed: number;
  /** How far the clock was moved ahead, in milliseconds. */
  clockOffsetMs: number;
  nextIds: Record<string, number>;
  accounts: Account[];
  keys: KeyRecord[];
  instances: InstanceState[];
  sshKeys: AccountSshKey[];
  /** Resources kept by their own files, see `World.section`. */
  sections: Record<string, unknown>;
}

export interface Account {
  id: number;
  email: string;
  username: string;
  fullName: string;
  /** Prepaid money, from which rentals are paid. */
  credit: number;
  balance: number;
  createdAt: number;
  /** Null while the address is not confirmed (docs/service/users.md#record). */
  emailVerifiedAt: number | null;
  isAdmin: boolean;
  /** The key in the record of the user, if it is not in the list of keys. */
  sshKey?: string;
  /** Set on accounts that rent out machines of the market. */
  hostId?: number;
  /** The dollars that the whole account has paid since it exists. */
  spent: number;
}

/**
 * `{api: {<category>: {}}}`, or the flat form with `read` and `write`
 * (docs/service/authentication.md#key-permissions).
 */
export type KeyPermissions = Readonly<Record<string, unknown>>;

export interface KeyRecord {
  id: number;
  accountId: number;
  name: string;
  /** SHA-256 of the value; the value itself is returned once and not kept. */
  hash: string;
  /** Absent for a full key. */
  permissions?: KeyPermissions;
  ipWhitelist?: string[];
  createdAt: number;
  /** The key of one instance; not listed among the account's keys. */
  onlyInstance?: number;
}

export interface AccountSshKey {
  id: number;
  accountId: number;
  publicKey: string;
  createdAt: number;
}

/** A key that one instance accepts. */
export interface InstanceKey {
  id: number;
  name: string;
  publicKey: string;
}

/** The documented statuses, and others that the service adds (docs/service/instances.md#states). */
export type ActualStatus = string | null;

/** What a run type provides (docs/service/renting.md#run-types). */
export interface Access {
  ssh: boolean;
  jupyter: boolean;
  /** By ports of the machine; otherwise through the proxy only. */
  direct: boolean;
}

export interface VolumeMount {
  volumeId: number;
  mountPath: string;
}

/** The cost of a running hour, in dollars. */
export interface Rates {
  gpu: number;
  /** Also charged while stopped. */
  disk: number;
}

export interface DayUsage {
  /** Days since 1970-01-01 UTC. */
  day: number;
  gpu: number;
  disk: number;
}

/** A boot that was ordered to end otherwise than in `running`. */
export interface BootFailure {
  /** `exited`, `unknown`, `offline`, `created`, or `stuck` for a boot that never ends. */
  outcome: string;
  message: string;
}

/** The next thing that happens to an instance by itself. */
export interface PendingStep {
  kind: 'load' | 'progress' | 'boot' | 'halt';
  /** Unix seconds. */
  at: number;
  /** How many messages of the host were shown before. */
  count: number;
}

export interface InstanceState {
  id: number;
  accountId: number;
  offerId: number;
  machineId: number;
  label: string | null;
  createdAt: number;
  /** When it last reached `running`. */
  startedAt: number | null;
  actualStatus: ActualStatus;
  intendedStatus: 'running' | 'stopped';
  statusMessage: string | null;
  /**
   * The instance failed while it was meant to run, so it never becomes `running`
   * (docs/service/instances.md#failed-statuses).
   */
  failed: boolean;
  outbid: boolean;
  /** The machine has no GPU free for it: it boots when one is. */
  waiting: boolean;
  pending: PendingStep | null;
  nextBootFailure: BootFailure | null;
  isBid: boolean;
  bidPrice: number;
  rates: Rates;
  /** Up to when time is paid, Unix seconds. */
  billedUntil: number;
  usage: DayUsage[];
  image: string;
  imageLogin: string | null;
  access: Access;
  args: string[];
  /** Names and values, and `-p host:container` keys with the value 1. */
  env: Record<string, string>;
  onstart: string | null;
  templateHash: string | null;
  templateId: number | null;
  templateName: string | null;
  /** Merged `extra_filters`, kept for the record (docs/service/renting.md#template-merge). */
  extraFilters: Record<string, unknown>;
  jupyterToken: string;
  jupyterDir: string | null;
  jupyterLab: boolean;
  utf8: boolean;
  isVm: boolean;
  diskGb: number;
  volumes: VolumeMount[];
  /** Passed to the container as CONTAINER_API_KEY. */
  apiKey: string;
  keys: InstanceKey[];
  /** How its login and tools behave from the next boot on; as usual where it is left out. */
  manner?: MachineManner;
  /** Percent that a test wants reported instead of a believable figure. */
  gpuUse?: number;
  /** Unix seconds at which a test wants the host to end the contract. */
  hostEndsAt?: number;
  /** Loopback ports while running; kept so that a restart can try the same. */
  proxyPort: number | null;
  directPorts: Record<string, number>;
  /** Lines of the host for the instance's log, newest last. */
  hostLog: string[];
}
