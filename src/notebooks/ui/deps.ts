import type { Services } from '../../services';

export type NotebookDeps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'fleet'
  | 'ssh'
  | 'clock'
  | 'commands'
  | 'instanceGroups'
  | 'presence'
  | 'oneWindow'
  | 'redactor'
  | 'report'
  | 'log'
  | 'storageDir'
>;
