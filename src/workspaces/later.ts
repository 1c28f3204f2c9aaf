import type { LaterWing } from '../wing';
import { registerDebugConfigurations } from './ui/debugConfigurations';
import { FilesRows } from './ui/filesRows';

/** Workspaces start when the user opens the files of an instance, or a document of one. */
export const workspaces: LaterWing = {
  name: 'workspaces',
  stored: 'workspaces',
  watch({ fleet, instanceGroups }, _begin, own) {
    own(instanceGroups.addInstanceRows(new FilesRows(fleet)));
    own(registerDebugConfigurations());
  },
  load: async () => {
    const { wingOfWorkspaces } = await import('./wing');
    return wingOfWorkspaces;
  },
};
