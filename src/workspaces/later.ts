import { sshAuthority } from '../editor/remoteAuthority';
import { hostInAuthority } from '../ssh/alias';
import type { LaterWing } from '../wing';
import { registerDebugConfigurations } from './ui/debugConfigurations';
import { FilesRows } from './ui/filesRows';
import { SetUpRows } from './ui/setUp/setUpRows';
import { wantsSetUp } from './ui/setUp/wantsSetUp';

/** Workspaces start when the user opens the files of an instance or a document of one, and in windows on instances. */
export const workspaces: LaterWing = {
  name: 'workspaces',
  stored: 'workspaces',
  watch(services, begin, own) {
    const { fleet, instanceGroups, settings } = services;
    own(instanceGroups.addInstanceRows(new SetUpRows(services)));
    own(instanceGroups.addInstanceRows(new FilesRows(fleet)));
    own(registerDebugConfigurations());
    if (wantsSetUp(settings) && hostInAuthority(sshAuthority())) {
      void begin();
    }
  },
  load: async () => {
    const { wingOfWorkspaces } = await import('./wing');
    return wingOfWorkspaces;
  },
};
