import type { Services } from '../../services';

export type ReadinessDeps = Pick<
  Services,
  | 'accounts'
  | 'budget'
  | 'fleet'
  | 'volumes'
  | 'rentals'
  | 'startWatches'
  | 'connectedWindows'
  | 'ssh'
  | 'sshConsent'
  | 'machineChecks'
  | 'machineProofs'
  | 'failedMachines'
  | 'hub'
  | 'instanceGroups'
  | 'notices'
  | 'oneWindow'
  | 'clock'
  | 'commands'
  | 'settings'
  | 'report'
  | 'log'
  | 'work'
>;
