import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { WindowHub } from '../windows/windowHub';
import type { RentalChange, RentalStore, Rental } from './rentalStore';

interface MarkDeps {
  readonly rentals: Pick<RentalStore, 'update'>;
  readonly hub: Pick<WindowHub, 'windowId'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** An older mark was left by a window that closed (ms). */
const longestReplacementMs = 10 * 60_000;

/**
 * Marks a rental as being replaced, from the first step on, so that the next window can report what a closed window
 * announced and did not finish.
 */
export async function markReplacing(
  { rentals, hub, clock }: MarkDeps,
  { marker }: Rental,
  change: RentalChange = {},
): Promise<number> {
  const since = clock.now();
  await rentals.update(marker, { ...change, replacingSince: since, replacingWindow: hub.windowId });
  return since;
}

/** Removes this window's mark; a newer mark stays. */
export async function unmarkReplacing(
  { rentals, hub, log }: MarkDeps,
  { marker }: Rental,
  since: number,
): Promise<void> {
  await rentals.update(marker, unmarked(hub.windowId, since)).catch((error: unknown) => {
    log.warn(`The end of a replacement could not be noted: ${String(error)}`);
  });
}

/** Removes the mark of a window, unless a newer one is on disk. */
export function unmarked(windowId: string | undefined, since: number) {
  return ({ replacingSince, replacingWindow }: Rental): RentalChange | undefined =>
    replacingWindow === windowId && replacingSince === since
      ? { replacingSince: undefined, replacingWindow: undefined }
      : undefined;
}

export function isBeingReplaced({ clock }: Pick<MarkDeps, 'clock'>, rental: Rental | undefined): boolean {
  return Math.abs(clock.now() - (rental?.replacingSince ?? 0)) < longestReplacementMs;
}
