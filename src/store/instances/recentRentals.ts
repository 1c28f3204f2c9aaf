import type { Instance } from '../../model/instances/instance';

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
