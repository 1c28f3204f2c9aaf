import { ForbiddenError, NotFoundError } from '../api/errors';

/**
 * Returns a list; `undefined` if the key may not read it or the service has none. Its
 * values can then be typed, because a key may be allowed to change what it can't list.
 */
export async function listOrNone<T>(list: Promise<T>): Promise<T | undefined> {
  try {
    return await list;
  } catch (error) {
    if (isUnlisted(error)) {
      return undefined;
    }
    throw error;
  }
}

export function isUnlisted(error: unknown): boolean {
  return error instanceof ForbiddenError || error instanceof NotFoundError;
}
