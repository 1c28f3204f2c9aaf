import type { Client } from '../../api/client';
import type { Instance } from '../../model/instances/instance';
import { isCancelled } from '../../util/errors';
import type { ReadOptions } from '../../shared/reading';

/** What was rented a moment ago and may not be in the lists yet. */
export interface RecentRentals {
  readonly accountKey: string | undefined;
  /** The outcome of a rental is open, so the list is read every ten seconds. */
  readonly isAwaited: boolean;
  /** Instances whose own record is read where the list does not have them. */
  readonly ids: readonly number[];
  /** Rows for those that no answer has had, as they were rented. */
  readonly expected: readonly Instance[];
}

export const noRentals: RecentRentals = { accountKey: undefined, isAwaited: false, ids: [], expected: [] };

/** Reads the record of each; where that fails, `known` says what was known of it. */
export async function readLate(
  client: Client,
  ids: readonly number[],
  options: ReadOptions,
  known: (id: number, error: unknown) => Instance | undefined,
): Promise<readonly Instance[]> {
  const records = await Promise.all(
    ids.map((id) =>
      client.instances.get(id, options).catch((error: unknown) => {
        if (isCancelled(error)) {
          throw error;
        }
        return known(id, error);
      }),
    ),
  );
  return records.flatMap((record) => (record ? [record] : []));
}
