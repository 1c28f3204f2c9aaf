/**
 * Asks again and again until the answer is neither `undefined` nor `false`, and gives it back. For conditions
 * outside this process, which cannot tell us when they change. Rejects, naming `what`, after `timeoutMs`.
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  { timeoutMs = 20_000, everyMs = 100 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (isSettled(answer)) {
      return answer;
    }
    if (Date.now() > end) {
      throw new Error(`Waited ${timeoutMs / 1000} s in vain: ${what}`);
    }
    await pause(everyMs);
  }
}

function isSettled<T>(answer: T): answer is Exclude<T, undefined | false> {
  return answer !== undefined && answer !== false;
}

/** For the few places where the editor ignores input for a fixed time; everything else waits for a condition. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
