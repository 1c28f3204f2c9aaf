import type { Services } from '../services';

export type ModelDeps = Pick<
  Services,
  | 'accounts'
  | 'clock'
  | 'commands'
  | 'findModel'
  | 'fleet'
  | 'instanceGroups'
  | 'jobs'
  | 'keptSecrets'
  | 'notices'
  | 'oneWindow'
  | 'servedModels'
  | 'settings'
  | 'ssh'
  | 'sshConsent'
  | 'storageDir'
  | 'work'
>;
