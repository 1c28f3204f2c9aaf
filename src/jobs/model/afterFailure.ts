import type { Text } from '../../util/text';
import { waitsForYou, type JobState, type JobTrouble, type TroubleKind } from './job';

export const longestPauseMs = 300_000;
/** Pauses between retries (ms). */
const pauses = [5_000, 10_000, 30_000, 60_000, 120_000, longestPauseMs];

/** Returns a trouble that only the user can end. */
export function waitingTrouble(
  { trouble }: JobState,
  kind: TroubleKind,
  now: number,
  asked: Pick<JobTrouble, 'why' | 'bytes'> = {},
): JobTrouble {
  // A new question is reported again.
  const isSame = trouble?.kind === kind && trouble.bytes === asked.bytes;
  const since = isSame ? trouble.since : now;
  return { kind, since, lastedMs: 0, tries: 0, nextTryAt: Number.MAX_SAFE_INTEGER, ...asked };
}

/** Returns the state after a failure, which is retried after a pause that grows, or waits for the user. */
export function afterFailure(
  state: JobState,
  {
    trouble: kind,
    why,
    bytes,
  }: {
    readonly trouble: TroubleKind;
    readonly why?: Text | undefined;
    readonly bytes?: number | undefined;
  },
  now: number,
): JobState {
  const before = state.trouble?.kind === kind ? state.trouble : undefined;
  const tries = (before?.tries ?? 0) + 1;
  if (waitsForYou(kind)) {
    const asked = kind === 'largeOutputs' ? { why, bytes } : {};
    return { ...state, trouble: waitingTrouble(state, kind, now, asked) };
  }
  // The list of instances shows when the machine runs again, so no request is needed.
  const pause =
    kind === 'machineStopped' ? 5_000 : (pauses[Math.min(tries, pauses.length) - 1] ?? longestPauseMs);
  const { since = now, lastedMs = 0 } = before ?? {};
  return { ...state, trouble: { kind, since, lastedMs, why, tries, nextTryAt: now + pause } };
}
