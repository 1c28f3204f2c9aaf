import type { Services } from '../../services';

export type EngineDeps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'clock'
  | 'commands'
  | 'fleet'
  | 'hub'
  | 'instanceGroups'
  | 'log'
  | 'oneWindow'
  | 'presence'
  | 'rentals'
  | 'ssh'
  | 'storageDir'
>;
