import type { Instance } from '../../model/instances/instance';
import type { InstanceFacts, OwnRequest } from '../../model/instances/instanceState';
import type { Loaded } from '../../shared/reading';
import type { Disposable } from '../../util/disposable';
import type { Event } from '../../util/emitter';

export interface FleetSnapshot {
  readonly instances: readonly Instance[];
  /** The number of instances that the service counted but did not send. */
  readonly missing?: number;
  readonly skipped: number;
  /** Instances that the last list lacks; they stay in the list until they are proved to have ended. */
  readonly unconfirmed?: readonly number[];
}

/** The instances of the active account: one poller and one cache for all windows. */
export interface Fleet {
  readonly state: Loaded<FleetSnapshot>;
  readonly onDidChange: Event<Loaded<FleetSnapshot>>;
  find(instanceId: number): Instance | undefined;
  /** Returns whether readings agree that an instance is gone; one list without it is only a hint. */
  hasEnded(instanceId: number): boolean;
  /** Returns facts beside the record: our last request, and whether the instance ever ran. */
  facts(instanceId: number): InstanceFacts;
  /**
   * Notes a request for an instance in all windows, at the current time unless it has one. With an account, nothing is
   * noted once another is active: its service may have given the number to another instance.
   */
  note(
    instanceId: number,
    request: Omit<OwnRequest, 'at'> & { readonly at?: number },
    accountKey?: string,
  ): void;
  /** Removes a note, for a request that was refused or given up. */
  forget(instanceId: number, accountKey?: string): void;
  /** Asks the polling window for a list that is read after this call; calls during a read share the next one. */
  refresh(): Promise<void>;
  /** Sets what this window shows, which decides how often the list is read. */
  setInterest(interest: { readonly viewVisible: boolean; readonly windowFocused: boolean }): void;
}

/** The fleet with what only other stores need. */
export interface FleetStore extends Fleet, Disposable {
  /** Fires after each list that this window read itself, before the other windows receive it. */
  readonly onDidPoll: Event<FleetSnapshot>;
  /** Sets the recent rentals, which may be missing from the list at first. */
  setRented(rented: RecentRentals): void;
}

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
