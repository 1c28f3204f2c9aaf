/** What determines how often the list of instances is read. */
export interface PollSituation {
  readonly isSignedIn: boolean;
  /** Undefined until the account's instances have been listed. */
  readonly instances: { readonly anyChanging: boolean; readonly anyBilling: boolean } | undefined;
  /** True if the last list lacked an instance; another list decides whether it has ended. */
  readonly isDoubtful: boolean;
  /** True shortly after we sent a stop. */
  readonly isStopping: boolean;
  /** True while a rental or destroy waits for its outcome. */
  readonly isAwaited: boolean;
  /** True while a view or the status bar is visible in a focused window. */
  readonly isInView: boolean;
}

const stoppingIntervalMs = 3_000;
const doubtfulIntervalMs = 5_000;
const changingIntervalMs = 10_000;
const inViewIntervalMs = 60_000;
const unattendedIntervalMs = 5 * 60_000;
/** A list older than two reads at the longest interval is outdated (ms). */
export const outdatedMs = 2 * unattendedIntervalMs + 60_000;

/** Returns the time between two lists (ms); undefined for never. */
export function pollIntervalMs(situation: PollSituation): number | undefined {
  if (!situation.isSignedIn) {
    return undefined;
  }
  if (situation.isStopping) {
    return stoppingIntervalMs;
  }
  if (situation.isDoubtful) {
    return doubtfulIntervalMs;
  }
  if (situation.isAwaited || situation.instances?.anyChanging === true) {
    return changingIntervalMs;
  }
  if (situation.isInView) {
    return inViewIntervalMs;
  }
  // Read once before the first list, because instances may already cost money.
  return situation.instances === undefined || situation.instances.anyBilling
    ? unattendedIntervalMs
    : undefined;
}

/** After an outage, running costs must be visible within 90 seconds, so no pause is longer than this. */
const longestPauseMs = 60_000;

/** Returns the pause after failures (ms): doubled each time up to a minute. `random` (0 to 1) varies it by ±20 %. */
export function backOffMs(failures: number, random: number): number {
  return Math.round(doubled(changingIntervalMs, failures, longestPauseMs) * (0.8 + 0.4 * random));
}

/**
 * Returns how long automatic reads are held back after failures (ms). Always shorter than the pause of the list, or
 * the list would be held back when due and wait for another whole pause.
 */
export function putOffMs(failures: number): number {
  return doubled(changingIntervalMs, failures, longestPauseMs) / 2;
}

function doubled(firstMs: number, failures: number, mostMs: number): number {
  return failures <= 0 ? 0 : Math.min(mostMs, firstMs * 2 ** (failures - 1));
}
