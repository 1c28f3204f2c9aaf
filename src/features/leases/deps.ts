import type { Services } from '../../services';

export type LeaseDeps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'leases'
  | 'hub'
  | 'idle'
  | 'presence'
  | 'notices'
  | 'ssh'
  | 'oneWindow'
  | 'clock'
  | 'report'
  | 'log'
  | 'commands'
  | 'instanceGroups'
>;
