import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sshAuthority } from '../editor/remoteAuthority';
import { hostInAuthority } from '../ssh/alias';
import { ifPresent } from '../util/missing';
import type { LaterWing } from '../wing';
import { registerDebugConfigurations } from './ui/debugConfigurations';
import { FilesRows } from './ui/filesRows';
import { SetUpRows } from './ui/setUp/setUpRows';
import { repositoriesKey, wantsSetUp } from './ui/setUp/wantsSetUp';

/** Workspaces start when the user opens the files of an instance or a document of one, in windows on instances, and for parked sets. */
export const workspaces: LaterWing = {
  name: 'workspaces',
  stored: 'workspaces',
  watch(services, begin, own) {
    const { fleet, globalState, instanceGroups, settings } = services;
    own(instanceGroups.addInstanceRows(new SetUpRows(services)));
    own(instanceGroups.addInstanceRows(new FilesRows(fleet)));
    own(registerDebugConfigurations());
    void beginForParked(services.storageDir, begin);
    const wants = wantsSetUp(settings) || globalState.get(repositoriesKey) !== undefined;
    if (wants && hostInAuthority(sshAuthority())) {
      void begin();
    }
  },
  load: async () => {
    const { wingOfWorkspaces } = await import('./wing');
    return wingOfWorkspaces;
  },
};

/** Parked sets belong to no account. If the disk refuses, the wing starts and reports that. */
async function beginForParked(storageDir: string, begin: () => Promise<boolean>): Promise<void> {
  const names = await ifPresent(readdir(join(storageDir, 'parked'))).catch(() => ['?']);
  if (names !== undefined && names.length > 0) {
    await begin();
  }
}
