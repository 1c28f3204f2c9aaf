/** How a machine's login and tools behave; each of them exists on the market. */
export const machineManners = [
  'usual',
  /** The port refuses connections for 20 seconds after `running`. */
  'latePort',
  /** No key is accepted for 15 seconds after `running`. */
  'lateKey',
  'refusedKey',
  /** A start-up file ends each shell before its command. */
  'endedShell',
  /** One GPU fewer than rented. */
  'missingGpu',
  'otherGpu',
  'fullDisk',
  'noNvidiaSmi',
  'hungNvidiaSmi',
  'failedNvidiaSmi',
  'mig',
  /** Its tool prints the published output of a real machine. */
  'recorded',
] as const;
export type MachineManner = (typeof machineManners)[number];

/** Seconds of the simulator's time after `running`, which its speed shortens. */
export const latePortSeconds = 20;
export const lateKeySeconds = 15;

export function isMachineManner(value: string): value is MachineManner {
  return machineManners.some((manner) => manner === value);
}
