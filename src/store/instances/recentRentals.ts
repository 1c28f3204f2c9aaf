import type { Instance } from '../../model/instances/instance';

/** The rentals of this account, for lists and records that lack some of them or of their fields. */
export interface RecentRentals {
  readonly accountKey: string | undefined;
  /** True while the outcome of a rental is open, which makes the list be read every ten seconds. */
  readonly isAwaited: boolean;
  /** Instances whose own record is read if the list lacks them. */
  readonly ids: readonly number[];
  /** Rows, as rented, for instances that no answer has contained yet. */
  readonly expected: readonly Instance[];
  /** Instances as rented, for what their records lack. */
  readonly rented: readonly Instance[];
}

export const noRentals: RecentRentals = {
  accountKey: undefined,
  isAwaited: false,
  ids: [],
  expected: [],
  rented: [],
};
