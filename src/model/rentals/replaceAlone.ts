/** The facts of a rental that decide about a replacement without a question. */
export interface ReplacedRental {
  readonly marker: string;
  readonly replaces?: string;
  readonly failure?: string;
}

export type ReplaceAlone =
  | { readonly kind: 'after'; readonly pauseMs: number }
  /** The limit of automatic replacements for one confirmation is reached. */
  | { readonly kind: 'tooMany' }
  /** Another host failed in the same way, so the next one probably will too. */
  | { readonly kind: 'sameFailure' };

/** The pause before each automatic replacement (ms). Their number limits the replacements after one confirmation. */
const pausesMs = [0, 60_000, 5 * 60_000] as const;
/** A longer pause comes from a clock that was set back (ms). */
export const longestReplacementPauseMs = Math.max(...pausesMs);

/** Returns a failure without ids, addresses and times, so that failures of two hosts can be compared. */
export function failureKind(reason: string, message: string | undefined): string {
  const words = (message ?? '').toLowerCase().replace(/[0-9a-f]{6,}|\d+/g, '#');
  return `${reason}: ${words.replace(/\s+/g, ' ').trim()}`.slice(0, 300);
}

/** Returns whether a failed machine is replaced without a question, and after which pause. */
export function replaceAlone(
  rental: ReplacedRental,
  failure: string,
  find: (marker: string) => ReplacedRental | undefined,
): ReplaceAlone {
  const before: ReplacedRental[] = [];
  for (let one = find(rental.replaces ?? ''); one && before.length < pausesMs.length;) {
    before.push(one);
    one = find(one.replaces ?? '');
  }
  if (before.some((one) => one.failure === failure)) {
    return { kind: 'sameFailure' };
  }
  const pauseMs = pausesMs[before.length];
  return pauseMs === undefined ? { kind: 'tooMany' } : { kind: 'after', pauseMs };
}
