import type { FakeClock } from './fakeClock';
import { until } from './until';

/** Longer than `runOutOfTime` gets by its small steps before mocha ends the test. */
export const fakeTimeoutMs = 60_000;

/**
 * Lets the time-out pass once for each request that `asked` counts, after it has arrived, and the pauses between them.
 * Only what is never answered may be counted: an answer that is on its way would come too late.
 */
export async function runOutOfTime(
  clock: FakeClock,
  call: Promise<unknown>,
  asked: () => number,
): Promise<void> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  call.then(settle, settle);
  let arrived = asked();
  await until(
    'the end of the call',
    async () => {
      const isNew = asked() > arrived;
      arrived = asked();
      await clock.advance(isNew ? fakeTimeoutMs : 2);
      return isSettled;
    },
    { everyMs: 1 },
  );
}
