/** What decides how often the list of instances is asked for. */
export interface PollSituation {
  readonly isSignedIn: boolean;
  /** Undefined while nothing is known about the account. */
  readonly instances: { readonly anyChanging: boolean; readonly anyBilling: boolean } | undefined;
  /** The last list lacked an instance; another list decides whether it has ended. */
  readonly isDoubtful: boolean;
  /** A stop of ours was sent a moment ago. */
  readonly isStopping: boolean;
  /** A rental or a destruction waits for its outcome. */
  readonly isAwaited: boolean;
  /** A view or the status bar is visible in a focused window. */
  readonly isLookedAt: boolean;
}

const stoppingIntervalMs = 3_000;
const doubtfulIntervalMs = 5_000;
const changingIntervalMs = 10_000;
const lookedAtIntervalMs = 60_000;
const unattendedIntervalMs = 5 * 60_000;

/** Milliseconds between two lists; undefined for never. */
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
  if (situation.isLookedAt) {
    return lookedAtIntervalMs;
  }
  // Before the first list nobody knows whether something bills, so it is asked for once.
  return situation.instances === undefined || situation.instances.anyBilling
    ? unattendedIntervalMs
    : undefined;
}

/** What bills is to be in view within 90 seconds of a service that works again, so nobody waits longer to find out. */
const longestPauseMs = 60_000;

/** After failures: doubled each time up to a minute; `random` (0 to 1) spreads it by a fifth each way. */
export function backOffMs(failures: number, random: number): number {
  return Math.round(doubled(changingIntervalMs, failures, longestPauseMs) * (0.8 + 0.4 * random));
}

/**
 * How long no unasked read is let go after failures. Always shorter than the pause of the list, which would otherwise be
 * put off at its time and wait for another whole pause.
 */
export function putOffMs(failures: number): number {
  return doubled(changingIntervalMs, failures, longestPauseMs) / 2;
}

function doubled(firstMs: number, failures: number, mostMs: number): number {
  return failures <= 0 ? 0 : Math.min(mostMs, firstMs * 2 ** (failures - 1));
}
