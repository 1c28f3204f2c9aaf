import type { Services } from '../../services';

export type LifecycleDeps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'fleet'
  | 'gauges'
  | 'machineProofs'
  | 'rentals'
  | 'clock'
  | 'commands'
  | 'report'
  | 'searchBudget'
  | 'settings'
  | 'log'
  | 'ssh'
  | 'volumes'
  | 'windowInUse'
  | 'work'
>;
