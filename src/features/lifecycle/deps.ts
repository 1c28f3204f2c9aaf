import type { Services } from '../../services';

export type LifecycleDeps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'gauges'
  | 'rentals'
  | 'clock'
  | 'commands'
  | 'report'
  | 'log'
  | 'settings'
  | 'ssh'
  | 'volumes'
  | 'windowInUse'
>;
