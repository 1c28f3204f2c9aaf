import { mayHaveTakenEffect } from '../api/errors';

/**
 * Returns the result of a change. If its answer is lost, `read` reads what shows the change before the failure is told,
 * because the user is asked to check there. A failed read shows its own reason there.
 */
export async function readIfLost<T>(change: Promise<T>, read: () => Promise<unknown>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    // A feature may tell the failure in its own words.
    if (mayHaveTakenEffect(error) || (error instanceof Error && mayHaveTakenEffect(error.cause))) {
      await read().catch(() => undefined);
    }
    throw error;
  }
}
