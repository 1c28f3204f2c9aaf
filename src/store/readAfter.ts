import { mayHaveTakenEffect } from '../api/errors';

/**
 * Returns the result of a change. `read` refreshes the views that show it: once the change was made, and before a
 * lost answer is reported, because the user is asked to check there. `false` means that nothing was changed. A
 * failed read shows its own reason there; reported instead of the change, it would read as if the change had failed.
 */
export async function readAfter<T>(change: Promise<T>, read: () => Promise<unknown>): Promise<T> {
  const show = () => read().catch(() => undefined);
  let result: T;
  try {
    result = await change;
  } catch (error) {
    // A feature may wrap the failure in its own words.
    if (mayHaveTakenEffect(error) || (error instanceof Error && mayHaveTakenEffect(error.cause))) {
      await show();
    }
    throw error;
  }
  if (result !== false) {
    await show();
  }
  return result;
}
