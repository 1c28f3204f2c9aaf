const minuteMs = 60_000;

/**
 * Returns the seconds by which this computer's clock is ahead of the service's; negative where it is
 * behind. 0 without the `date` of an answer. Whole minutes, because the answer travels for seconds.
 */
export function secondsAhead(headers: Readonly<Record<string, string>>, nowMs: number): number {
  const dateMs = Date.parse(headers['date'] ?? '');
  return Number.isNaN(dateMs) ? 0 : Math.round((nowMs - dateMs) / minuteMs) * 60;
}
