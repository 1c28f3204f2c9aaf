import type { Services } from '../../services';

export type SeveralDeps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'clock'
  | 'commands'
  | 'fleet'
  | 'instanceGroups'
  | 'log'
  | 'presence'
  | 'ssh'
  | 'workspaceState'
>;
