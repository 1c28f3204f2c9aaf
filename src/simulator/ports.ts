import type { AuditPort } from './auditLog';
import type { KeyPermissions, VolumeMount } from './state';

/** What a rental uses of a template (docs/service/templates.md#record). */
export interface RentTemplate {
  readonly id: number;
  readonly hashId: string;
  readonly name: string;
  readonly image: string;
  readonly tag?: string;
  /** Flag format: `-e NAME=value -p host:container`. */
  readonly env?: string;
  readonly onstart?: string;
  readonly runtype?: string;
  readonly argsStr?: string;
  readonly sshDirect?: boolean;
  readonly useSsh?: boolean;
  readonly jupDirect?: boolean;
  readonly useJupyterLab?: boolean;
  readonly jupyterDir?: string;
  readonly dockerLoginRepo?: string;
  readonly dockerLoginUser?: string;
  readonly dockerLoginPass?: string;
  readonly extraFilters?: Readonly<Record<string, unknown>>;
  readonly recommendedDiskSpace?: number;
}

/** A volume that exists or existed. Times are Unix seconds, the price dollars an hour. */
export interface BilledVolume {
  readonly id: number;
  readonly label: string;
  readonly from: number;
  readonly until: number;
  readonly perHour: number;
}

/**
 * What the resources need of each other. Each is filled by the file that keeps the
 * resource when it registers its routes; an absent one behaves as if the account had none.
 */
export interface WorldPorts {
  /** A template by the hash it has now, if this account may use it. */
  templates?: {
    byHash(hashId: string, accountId: number): RentTemplate | undefined;
    /** Called for each rental from it. */
    rented?(templateId: number): void;
  };
  volumes?: {
    /**
     * Links or creates what `volume_info` asks for and returns the mount.
     * @throws ServiceError when it does not exist, is in use, or is on another machine.
     */
    attach(
      wanted: Readonly<Record<string, unknown>>,
      rental: { accountId: number; machineId: number; instanceId: number },
    ): VolumeMount;
    /** Whether the account has this volume. */
    has?(accountId: number, volumeId: number): boolean;
    /** The instance is gone. */
    release?(instanceId: number): void;
    /** The charges of the account's volumes up to now, each for its whole time. */
    billed?(accountId: number): readonly BilledVolume[];
  };
  audit?: AuditPort;
  /** Environment variables of the account, given to each of its instances. */
  accountEnv?: (accountId: number) => Readonly<Record<string, string>>;
  /** Bearer values and cookies made by the second factor. */
  sessions?: {
    find(
      value: string,
      from: 'bearer' | 'cookie',
    ): { accountId: number; keyId: number; permissions?: KeyPermissions; expired?: boolean } | undefined;
  };
  /** Highest price of this machine's owner for an interruptible rental, in dollars an hour and GPU. */
  minimumBid?: (machineId: number) => number | undefined;
}
