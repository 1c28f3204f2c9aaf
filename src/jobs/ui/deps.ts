import type { Services } from '../services';

export type JobDeps = Pick<
  Services,
  | 'accounts'
  | 'clock'
  | 'commands'
  | 'contextKeys'
  | 'fleet'
  | 'globalState'
  | 'jobMachine'
  | 'jobs'
  | 'keptSecrets'
  | 'schedules'
  | 'log'
  | 'notices'
  | 'oneWindow'
  | 'rentals'
  | 'report'
  | 'sshConsent'
  | 'statusItem'
  | 'templates'
  | 'trees'
  | 'windowInUse'
>;
