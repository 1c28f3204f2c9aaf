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
  | 'schedules'
  | 'log'
  | 'notices'
  | 'oneWindow'
  | 'redactor'
  | 'rentals'
  | 'report'
  | 'secrets'
  | 'sshConsent'
  | 'statusItem'
  | 'trees'
  | 'windowInUse'
>;
