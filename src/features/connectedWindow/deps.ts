import type { Services } from '../../services';

export type WindowDeps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'fleet'
  | 'rentals'
  | 'ssh'
  | 'clock'
  | 'commands'
  | 'contextKeys'
  | 'connectedWindows'
  | 'globalState'
  | 'report'
  | 'log'
  | 'statusItem'
  | 'windowInUse'
>;
