import type { Account } from '../../store/accounts/accounts';
import type { Services } from '../services';

export type ScheduleDeps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'schedules'
  | 'hub'
  | 'idle'
  | 'presence'
  | 'notices'
  | 'rentals'
  | 'ssh'
  | 'oneWindow'
  | 'clock'
  | 'report'
  | 'log'
  | 'commands'
  | 'instanceGroups'
  | 'otherSchedules'
  | 'timetable'
  | 'work'
>;

/** An instance with a schedule, in the account in which the user saw it. */
export interface Scheduled {
  readonly instanceId: number;
  readonly name: string;
  /** Throws once another account is active, see `accountFor`. */
  readonly account: () => Account;
}
